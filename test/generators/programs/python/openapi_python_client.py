import os
from uuid import UUID

from intake_client import AuthenticatedClient
from intake_client.api.reports import submit_report as reports
from intake_client.api.tickets import create_ticket as tickets
from intake_client.models import CreateTicket, Received, Report, Ticket
from intake_client.types import UNSET, File

from main import main


def create_ticket(url, token, idempotency_key, title, board_id=None):
    ticket = CreateTicket(title=title, board_id=UUID(board_id) if board_id else UNSET)
    with AuthenticatedClient(base_url=url, token=token) as client:
        answer = tickets.sync_detailed(client=client, body=ticket, idempotency_key=idempotency_key)
    if not isinstance(answer.parsed, Ticket):
        return {"status": answer.status_code, "error": answer.parsed.error}
    repeated = answer.headers.get("Idempotent-Replayed") == "true"
    return {"status": answer.status_code, "id": str(answer.parsed.id), "repeated": repeated}


def submit_report(url, key, envelope, attachment, content_type):
    report = Report(envelope=file(envelope, "application/gzip"), attachment_0=file(attachment, content_type))
    request = reports._get_kwargs(body=report)
    # Without it there is a boundary that is not in the files.
    del request["headers"]["Content-Type"]
    with AuthenticatedClient(base_url=url, token=key) as client:
        answer = reports._build_response(client=client, response=client.get_httpx_client().request(**request))
    if not isinstance(answer.parsed, Received):
        return {"status": answer.status_code, "error": answer.parsed.error}
    return {"status": answer.status_code, "id": str(answer.parsed.event_id), "repeated": answer.parsed.idempotent}


def file(path, content_type):
    return File(payload=open(path, "rb"), file_name=os.path.basename(path), mime_type=content_type)


main(create_ticket, submit_report)
