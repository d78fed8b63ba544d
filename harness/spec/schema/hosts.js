/** The schema of hosts.toml. */
import { TEXT, distinct, list, matching, table, whole } from './pieces.js';

const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const FOLDER = '(?![.]{1,2}(/|$))[A-Za-z0-9.][A-Za-z0-9._-]*';
/** From 1000 to 65535. */
const PORT = '([1-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

const ADDRESS = matching(
  `^([1-9]|[1-9][0-9]|1[0-9]{2}|2[01][0-9]|22[0-3])([.]${BYTE}){3}$`, 'the IPv4 address of one host (1.0.0.0 to 223.255.255.255)',
);

const HOST = table(['name', 'role', 'address'], {
  name: matching('^[a-z0-9][a-z0-9-]{0,31}$', 'a name (a to z, 0 to 9 and "-", 32 at most)'),
  ssh: matching(
    '^(?!-)[A-Za-z0-9._~%:@\\[\\]/-]+$',
    'what stands behind `ssh`: user@address, or a Host of its configuration; no option: ssh_config names a file of those',
  ),
  exec: { ...list(matching('^[^\\u0000-\\u001f\\u007f]+$', 'a word of a command (no control characters)')), maxItems: 100 },
  role: { enum: ['server', 'client', 'both'] },
  address: ADDRESS,
  addresses: distinct(ADDRESS),
  leave_cores: whole(0, 1023),
  suite: matching(`^(/${FOLDER})+/?$`, 'a whole path, without ".."'),
  metrics: matching(
    `^(none|${BYTE}([.]${BYTE}){3}:${PORT})$`, '"none", nor an address and a port from 1000 to 65535, such as "127.0.0.1:9465"',
  ),
});

export const HOSTS = table(['hosts'], {
  ssh_config: TEXT,
  folder: matching(`^${FOLDER}(/${FOLDER})*/?$`, 'a folder of each host\'s home, without ".."'),
  hosts: { ...list(HOST), maxItems: 101 },
});
