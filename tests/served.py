"""The site served to a real browser inside a test's own transaction, so that nothing is flushed afterwards.

One browser serves all tests of a process, with and without scripts. Every test finds it as if new:
no cookies, the usual size, nothing in the console. With ARF_SHOTS set to a folder, `picture` fills it.
"""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import ThreadingMixIn
from unittest.mock import patch
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, connections
from django.db.transaction import Atomic
from django.http import FileResponse, HttpRequest
from django.test import Client
from selenium import webdriver
from selenium.common.exceptions import (
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.ui import WebDriverWait


class Quiet(WSGIRequestHandler):
    def log_message(self, *args) -> None:
        """Requests are no news in a test."""


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *args) -> None:
        """A browser that leaves in the middle of an answer is no news either."""


class Kept(StaticFilesHandler):
    """Static files that the browser keeps: none changes while tests run."""

    def serve(self, request: HttpRequest) -> FileResponse:
        response = super().serve(request)
        response["Cache-Control"] = "max-age=3600"
        return response


def refused(environ: dict, start_response: Callable) -> list[bytes]:
    """What a page asks for whose test is over. Were it never answered, the browser could not leave the page."""
    start_response("503 Service Unavailable", [])
    return [b""]


def on_one_connection(application: Callable, shared, turn: threading.Lock, over: threading.Event) -> Callable:
    """Requests one after the other, all on the test's own connection, until it is over."""

    def answer(environ: dict, start_response: Callable) -> list[bytes]:
        with turn:
            if over.is_set():
                return refused(environ, start_response)
            connections["default"] = shared
            response = application(environ, start_response)
            body = [b"".join(response)]
            response.close()
            return body

    return answer


@contextmanager
def one_block_at_a_time() -> Iterator[None]:
    """Test and site share a connection: no savepoint of the one begins or ends inside a block of the other."""
    turn, enter, leave = threading.RLock(), Atomic.__enter__, Atomic.__exit__

    def entered(block: Atomic) -> None:
        turn.acquire()
        try:
            enter(block)
        except BaseException:
            turn.release()
            raise

    def left(block: Atomic, *problem: object) -> None:
        try:
            leave(block, *problem)
        finally:
            turn.release()

    with patch.multiple(Atomic, __enter__=entered, __exit__=left):
        yield


@pytest.fixture(scope="session")
def site_server() -> Iterator[Server]:
    """One address for all tests of a process: what the browser keeps of one test's pages serves the next."""
    server = Server(("127.0.0.1", 0), Quiet)
    server.set_app(refused)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@contextmanager
def serving(server: Server, shared) -> Iterator[str]:
    turn, over = threading.Lock(), threading.Event()
    server.set_app(on_one_connection(Kept(WSGIHandler()), shared, turn, over))
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.set_app(refused)
        over.set()
        if turn.acquire(timeout=20):  # until a request under way is answered
            turn.release()


@pytest.fixture
def site(db, site_server: Server) -> Iterator[str]:
    """The address of the site."""
    connection.inc_thread_sharing()
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)  # it would end the test's transaction
    with one_block_at_a_time(), serving(site_server, connections["default"]) as address:
        yield address
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
    connection.dec_thread_sharing()


class Browser(webdriver.Chrome):
    """Chrome that waits for what is looked for, by `find`, and calls an element of a page that is gone by one name."""

    def execute(self, *command, **parameters) -> dict:
        try:
            return super().execute(*command, **parameters)
        except WebDriverException as problem:
            if "does not belong to the document" in str(problem.msg):
                raise StaleElementReferenceException(problem.msg) from problem
            raise

    def find(self, by: str, value: str) -> WebElement:
        """The element, as soon as there is one."""
        return until(self, lambda b: b.find_element(by, value), f"no {value} on {self.current_url}")

    def begin_anew(self, *, scripts: bool) -> None:
        for command, parameters in FRESH:
            self.execute_cdp_cmd(command, parameters)
        self.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self.set_window_size(*SIZE)
        self.get_log("browser")  # reading empties it


SIZE = (1400, 1200)
LOADED_IN = 60  # seconds; the driver's client waits for 120
LEFT_IN = 5  # seconds: a page takes milliseconds, another browser one second
# One process draws all pages, and none is made ahead: pages of one site need no other, and each takes processor time.
ONE_RENDERER = (
    "--process-per-site",
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--disable-features=SpareRendererForSitePerProcess",
)
# One thread of it puts the layers of a page together: handing them to another takes a fifth of all, but a picture is
# made by that one.
ONE_THREAD = () if "ARF_SHOTS" in os.environ else ("--disable-threaded-compositing",)
FRESH = (
    ("Network.clearBrowserCookies", {}),
    ("Browser.resetPermissions", {}),
    ("Emulation.clearDeviceMetricsOverride", {}),
    ("Emulation.setEmulatedMedia", {"media": "", "features": []}),
)


@pytest.fixture
def scripts() -> bool:
    """Override with False for pages that run none."""
    return True


@pytest.fixture(scope="session")
def browsers() -> Iterator[list[Browser]]:
    """The process's browser, once there is one."""
    running: list[Browser] = []
    yield running
    for driver in running:
        driver.quit()


def started() -> Browser:
    driver_path = shutil.which("chromedriver")
    if driver_path is None:
        pytest.skip("chromedriver is not installed")
    options = webdriver.ChromeOptions()
    usual = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")
    for argument in (*usual, *ONE_RENDERER, *ONE_THREAD):
        options.add_argument(argument)
    driver = Browser(options=options, service=webdriver.ChromeService(driver_path))
    driver.set_page_load_timeout(LOADED_IN)
    return driver


@pytest.fixture
def browser(browsers: list[Browser], scripts: bool) -> Iterator[Browser]:
    """Started when it is first asked for. One that cannot leave a page, as happens now and then, makes way for another:
    nothing more is asked of the site of a test that is over.
    """
    if not browsers:
        browsers.append(started())
    (driver,) = browsers
    driver.begin_anew(scripts=scripts)
    yield driver
    driver.set_page_load_timeout(LEFT_IN)
    try:
        driver.get("about:blank")
    except TimeoutException:
        browsers.pop().quit()
    else:
        driver.set_page_load_timeout(LOADED_IN)


def until(browser: Browser, condition: Callable, message: str = "") -> object:
    """Waits for a condition; a page that is replaced while it is looked at is looked at again."""
    passing = [NoSuchElementException, StaleElementReferenceException, ElementNotInteractableException]
    return WebDriverWait(browser, 60, poll_frequency=0.05, ignored_exceptions=passing).until(condition, message)


@contextmanager
def turning(browser: Browser, part: str = "html") -> Iterator[None]:
    """What is done inside puts another page, or another part of it, in place; it is there afterwards."""
    before = browser.find_element(By.CSS_SELECTOR, part)
    yield
    until(browser, staleness_of(before), f"{part} stays as it was on {browser.current_url}")
    browser.find(By.CSS_SELECTOR, part)
    until(browser, lambda b: b.execute_script("return document.readyState") == "complete")


def sign_in(browser: Browser, site: str, name: str, path: str = "") -> None:
    """Opens the path, if there is one, as this user, by a session that was begun without the form."""
    client = Client()
    client.force_login(User.objects.get(username=name))
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}
    browser.execute_cdp_cmd("Network.setCookie", cookie)
    if path:
        browser.get(site + path)
        assert "/login/" not in browser.current_url


def sign_in_by_form(browser: Browser, site: str, name: str, password: str) -> None:
    browser.get(f"{site}/admin/login/?next=/admin/")
    browser.find(By.NAME, "username").send_keys(name)
    browser.find(By.NAME, "password").send_keys(password)
    with turning(browser):
        browser.find(By.CSS_SELECTOR, "#login-form button").click()
    assert "/login/" not in browser.current_url


def picture(browser: Browser, name: str) -> None:
    if folder := os.environ.get("ARF_SHOTS"):
        browser.save_screenshot(str(Path(folder) / f"{name}.png"))
