import requests
from send_each import send_each

send_each(requests.post)
