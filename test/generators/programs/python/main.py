import json
import sys


def main(create_ticket, submit_report):
    """Does what the arguments say and prints the answer as one line of JSON."""
    verb, *arguments = sys.argv[1:]
    answer = (create_ticket if verb == "ticket" else submit_report)(*arguments)
    print(json.dumps(answer))
