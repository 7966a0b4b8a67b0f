"""What becomes of a request for money: approved, rejected, or put before a person.

`python -m samples.approval_workflow` takes a JSON file of requests. Rules decide on each, or leave it to a person: then
its run pauses until somebody has answered, on this terminal or, with `--thread NAME --db FILE`, in any process later.
Who is approved gets a mail, written as an .eml file, and what is rejected goes into an archive, a file of JSON lines.
"""
