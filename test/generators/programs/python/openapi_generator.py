from uuid import UUID

from openapi_client import ApiClient, ApiException, Configuration, CreateTicket, ReportsApi, TicketsApi
from urllib3 import HTTPHeaderDict

from main import main


def client(url, credential):
    # Without it the servers of the single operations go before the host.
    return ApiClient(Configuration(host=url, access_token=credential, ignore_operation_servers=True))


def create_ticket(url, token, idempotency_key, title, board_id=None):
    ticket = CreateTicket(title=title, boardId=UUID(board_id) if board_id else None)
    try:
        answer = TicketsApi(client(url, token)).create_ticket_with_http_info(ticket, idempotency_key)
    except ApiException as refused:
        return {"status": refused.status, "error": refused.data.error}
    # The client makes a plain dict of them, with the names as they were sent.
    headers = HTTPHeaderDict(answer.headers)
    repeated = headers.get("Idempotent-Replayed") == "true"
    return {"status": answer.status_code, "id": str(answer.data.id), "repeated": repeated}


def submit_report(url, key, envelope, attachment, content_type):
    # A path: the file name is its last part, and the type is guessed from its ending.
    answer = ReportsApi(client(url, key)).submit_report_with_http_info(envelope, attachment)
    return {"status": answer.status_code, "id": str(answer.data.event_id), "repeated": answer.data.idempotent}


main(create_ticket, submit_report)
