import base64
import json
import sys
from datetime import datetime, timezone

from standardwebhooks import Webhook, WebhookVerificationError


def verdict(message):
    webhook = Webhook(message["secret"])
    headers = message["headers"]
    body = base64.b64decode(message["body"]).decode()
    at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), tz=timezone.utc)
    try:
        webhook.verify(body, headers)
        accepted = True
    except WebhookVerificationError:
        accepted = False
    return {"accepted": accepted, "signature": webhook.sign(headers["webhook-id"], at, body)}


json.dump([verdict(message) for message in json.load(sys.stdin)], sys.stdout)
