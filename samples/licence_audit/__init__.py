"""Which licences do the installed Python distributions have, and what follows from them?

`python -m samples.licence_audit` walks every distribution of the running environment through one loop;
with `--parallel` each gets a branch of its own, and each of its checks one more.
"""
