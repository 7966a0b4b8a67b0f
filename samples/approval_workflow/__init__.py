"""What becomes of a request for money: approved, rejected, or left to a person.

`python -m samples.approval_workflow` takes a JSON file of requests. Rules decide on each; who is approved gets a mail,
written as an .eml file, and what is rejected goes into an archive, a file of JSON lines.
"""
