/* global document, EventSource, io, location, page, requestAnimationFrame, XMLHttpRequest */
// A page that shows results, in any workflow. `page` holds facts from its markup: load, workflow, scenario, x, count (of results) and
// start_ms, the server's Date.now() at the receipt of the request. Once all results are in the document, the page marks `data`. Once the
// frame with the results has been laid out and painted, it marks `complete` and logs "page complete" on the console. After an error, such
// as a result for another page, it logs "page failed: …" instead.
(function () {
  'use strict';

  let missing = page.count;
  const seen = {};
  const kept = []; // references: connections must not be garbage-collected early

  function fail(why) {
    document.title = document.getElementById('state').textContent = 'failed: ' + why;
    console.error('page failed: ' + why);
  }

  // The first callback runs before layout and paint of the frame with the data, the second one after both.
  function afterPaint(then) {
    requestAnimationFrame(function () { requestAnimationFrame(then); });
  }

  // source_ms is the thesis's CS.diff(): Date.now() here less the server's, once all data have arrived.
  function complete() {
    performance.mark('data');
    page.source_ms = Date.now() - page.start_ms;
    document.getElementById('state').textContent = 'complete';
    afterPaint(function () {
      performance.mark('complete');
      console.info('page complete');
    });
  }

  // Counts each shown result.
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

  // Takes a pushed result. One for another load went to the wrong page.
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

  // Reads a body as it arrives: bytes of a file, or one result per line.
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

    // Binary frames hold a file's bytes, and an empty one is the end; other results are text.
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

  /** Runs once the page is complete, outside the timed part. @returns {string} what is wrong with the page, '' if nothing is */
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
