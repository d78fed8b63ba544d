'use strict';

// A store: sc-broker's server process, called nData in 2014. It reads its options from its first argument, and sends its parent
// {event: 'listening'} itself.

var member = require('./member');

var self = member.join();
process.argv[2] = JSON.stringify({
  id: self.index,
  socketPath: member.socketPathOf(self.settings.runDir, 'store', self.index)
});
require('sc-broker/server');
