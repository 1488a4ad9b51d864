import json
import sys


def main(create_ticket, submit_report):
    """Does what each line of stdin says, with tabs between the words, and prints each answer as JSON with a NUL behind it."""
    for line in sys.stdin:
        verb, *words = line.rstrip("\n").split("\t")
        answer = (create_ticket if verb == "ticket" else submit_report)(*words)
        print(json.dumps(answer), end="\0", flush=True)
