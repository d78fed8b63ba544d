/* global document, EventSource, io, location, page, requestAnimationFrame, XMLHttpRequest */
// A page that shows results, by whatever workflow they come. `page` is what its markup says of it: load, workflow, scenario, x, count
// (of results) and start_ms, the server's Date.now() at the receipt of the request. When all results are in the document it marks `data`;
// when the frame that shows them has been laid out and painted, it marks `complete` and says "page complete" in the console. It says "page
// failed: …" when what came is not its own.
(function () {
  'use strict';

  let missing = page.count;
  const seen = {};
  const kept = []; // or a connection might be collected as garbage before its end

  function fail(why) {
    document.title = document.getElementById('state').textContent = 'failed: ' + why;
    console.error('page failed: ' + why);
  }

  // The first callback comes before the layout and the paint of the frame that shows the data, the second after both.
  function afterPaint(then) {
    requestAnimationFrame(function () { requestAnimationFrame(then); });
  }

  // source_ms is the source's CS.diff(): its Date.now() beside the server's, when the data are there.
  function complete() {
    performance.mark('data');
    page.source_ms = Date.now() - page.start_ms;
    document.getElementById('state').textContent = 'complete';
    afterPaint(function () {
      performance.mark('complete');
      console.info('page complete');
    });
  }

  // A result is shown: are all?
  function note(key) {
    if (seen[key]) return fail(key + ' came twice');
    seen[key] = true;
    missing--;
    page.missing = missing;
    if (missing === 0) complete();
    else document.getElementById('state').textContent = missing + ' to come';
  }
  page.note = note;
  page.missing = missing;

  function show(key, text) {
    const place = document.querySelector('[data-promise="' + key + '"]');
    if (!place) return fail(key + ' has no place here');
    place.textContent = text;
    note(key);
  }

  function byteWords(count) {
    return count + ' bytes';
  }

  // What was pushed: for this very load, or it went to the wrong page.
  function receive(result) {
    const value = result.value;
    if (result.load !== page.load) return fail('a result of ' + result.load + ' came to ' + page.load);
    show(result.key, value && value.byteLength !== undefined ? byteWords(value.byteLength) : JSON.stringify(value));
  }

  function ask(key, then) {
    const request = new XMLHttpRequest();
    request.open('GET', '/data/' + page.scenario + '/' + page.x + '?key=' + key);
    request.onload = function () {
      if (request.status !== 200) return fail('its data were answered ' + request.status + ' ' + request.responseText);
      show(key, JSON.stringify(JSON.parse(request.responseText)));
      if (then) then();
    };
    request.onerror = function () { fail('its request for ' + key + ' failed'); };
    request.send();
  }

  function askInTurn(index) {
    if (index < page.count) ask('r' + index, function () { askInTurn(index + 1); });
  }

  // A body as it comes: the bytes of a file, or a line a result.
  function read(response) {
    const isRaw = response.headers.get('content-type') === 'application/octet-stream';
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let bytes = 0;
    let text = '';
    return reader.read().then(function take(part) {
      if (!part.done) {
        bytes += part.value.length;
        if (!isRaw) text += decoder.decode(part.value, { stream: true });
        const lines = text.split('\n');
        text = lines.pop();
        lines.forEach(function (line) { receive(JSON.parse(line)); });
        return reader.read().then(take);
      }
      if (isRaw) show('r0', byteWords(bytes));
    });
  }

  function connectSocket(options) {
    const socket = io(location.origin + '/?load=' + page.load, options);
    socket.on('result', receive);
    socket.on('disconnect', function () { if (missing > 0) fail('its socket was closed'); });
    kept.push(socket);
  }

  const workflows = {
    server () {},

    ajax () {
      if (page.scenario === 'series') return askInTurn(0);
      for (let index = 0; index < page.count; index++) ask('r' + index);
    },

    stream () { connectSocket({}); },
    binary () { connectSocket({}); },
    websocket () { connectSocket({ transports: ['websocket'] }); }, // no poll first

    fetch () {
      fetch('/results?load=' + page.load).then(read).then(null, function (error) { fail(String(error)); });
    },

    sse () {
      const source = new EventSource('/events?load=' + page.load);
      source.onmessage = function (event) {
        receive(JSON.parse(event.data));
        if (missing === 0) source.close();
      };
      source.onerror = function () { if (missing > 0) fail('its events ended'); };
    },

    // A file's bytes are frames of their own, an empty one behind the last; other results are text.
    frames () {
      let bytes = 0;
      const socket = new WebSocket(location.origin.replace('http', 'ws') + '/frames?load=' + page.load);
      socket.binaryType = 'arraybuffer';
      socket.onmessage = function (event) {
        if (typeof event.data === 'string') return receive(JSON.parse(event.data));
        bytes += event.data.byteLength;
        if (event.data.byteLength === 0) show('r0', byteWords(bytes));
      };
      socket.onclose = function () { if (missing > 0) fail('its WebSocket was closed'); };
      kept.push(socket);
    },

    html () {
      (page.placed || []).forEach(note);
      const end = function () { if (missing > 0) fail('its markup ended'); };
      if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', end);
      else end();
    }
  };

  function isRight(text) {
    if (page.scenario === 'files') return / bytes$/.test(text) ? parseInt(text, 10) === page.x * 1024 : JSON.parse(text).data.length === page.x * 1024;
    if (page.scenario === 'documents') return JSON.parse(text).length === page.x;
    return JSON.parse(text) === (page.scenario === 'timeouts' ? page.x : page.scenario === 'series' ? 0 : 2000);
  }

  /** @returns {string} what of the page is not as it should be, '' for nothing: looked at when it is complete, outside of what is timed */
  page.check = function () {
    const places = [].slice.call(document.querySelectorAll('[data-promise]'));
    if (places.length !== page.count) return places.length + ' places for ' + page.count + ' results';
    const wrong = places.filter(function (place) { return !isRight(place.textContent); })[0];
    return wrong ? wrong.getAttribute('data-promise') + ' is "' + wrong.textContent.slice(0, 60) + '"' : '';
  };

  workflows[page.workflow]();
  if (page.workflow === 'server' || page.count === 0) {
    missing = page.missing = 0;
    complete();
  }
})();
