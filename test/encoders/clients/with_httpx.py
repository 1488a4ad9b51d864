import httpx
from send_each import send_each

send_each(httpx.post)
