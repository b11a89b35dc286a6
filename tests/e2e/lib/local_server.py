"""What the servers of tests have in common: they are on this machine alone, quiet, and say their port in a file."""
import http.server
import os


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def serve(handler, port_file):
    """Answer requests by `handler` for ever. The port is in the file once there are answers."""
    server = Server(("127.0.0.1", 0), handler)
    with open(port_file + ".new", "w") as port:
        port.write(str(server.server_address[1]))
    os.rename(port_file + ".new", port_file)
    server.serve_forever()
