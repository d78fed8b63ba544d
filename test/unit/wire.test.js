/** From captured packets to bytes by layer: the filters, on small captures with every byte known. */
import { sumPackets } from '../../clients/exchange/packets.js';
import { describeWire } from '../../clients/exchange/reduce.js';
import { filterTest, rowsTest, table } from '../awks.js';

const FIELDS = `frame.len  frame.time_epoch  ip.hdr_len  tcp.hdr_len  tcp.len  tcp.dstport  tcp.stream  tcp.seq  udp.payload  tls.record.length  \
http.request.line  http.request.method  http.request.uri  http.request.version  http.response.line  http.response.version  http.response.code  http.response.phrase  \
websocket.opcode  websocket.mask  websocket.payload_length  websocket.payload_length_ext_16  websocket.payload_length_ext_64`.split(/\s+/);

/** @param {Record<string, string | number>[]} packets @returns {string} in the output format of tshark */
const captured = (packets) => [FIELDS, ...packets.map((packet) => FIELDS.map((field) => packet[field] ?? ''))].map((row) => row.join('\t')).join('\n') + '\n';

const segment = { 'frame.time_epoch': '1795312346.160473999', 'ip.hdr_len': 20, 'tcp.hdr_len': 20 };

filterTest('packets: an HTTP head is counted with its line ends, frames by their real lengths, and a mark is told by its text',
  ['fields-to-packets.awk'],
  [captured([
    { 'frame.time_epoch': '1795312345.000001000', 'udp.payload': '62696e6172792d313236', 'tcp.dstport': '' },
    // GET / HTTP/1.1, Host: a and the empty line: 16 + 9 + 2 bytes
    { ...segment, 'frame.len': 81, 'tcp.len': 27, 'tcp.dstport': 20000, 'http.request.line': 'Host: a\\r\\n', 'http.request.method': 'GET', 'http.request.uri': '/', 'http.request.version': 'HTTP/1.1' },
    { ...segment, 'frame.len': 300, 'tcp.len': 246, 'tcp.dstport': 20000, 'websocket.opcode': '9,2', 'websocket.mask': '1,1', 'websocket.payload_length': '126,100', 'websocket.payload_length_ext_16': '126' },
    { ...segment, 'frame.len': 1514, 'tcp.len': 1460, 'tcp.dstport': 40000, 'websocket.opcode': '1', 'websocket.mask': '0', 'websocket.payload_length': '127', 'websocket.payload_length_ext_64': '65536' },
  ])],
  `
    packet  direction  mark        frame_b  ip_b  tcp_b  stream_b  again  records  http_b  frames  payload_b  formula_b  wall_us           data_frames  uri
    1       up         binary-126  -        -     -      -         -      -        -       -       -          -          1795312345000001  -            -
    2       up         -           81       20    20     27        0      0        27      0       0         0          1795312346160473  0            /
    3       up         -           300      20    20     246       0      0        0       2       226        14         1795312346160473  1            -
    4       down       -           1514     20    20     1460      0      0        0       1       65536      10         1795312346160473  1            -
  `, { options: ['-v', 'port=20000'] });

/** @param {number} at sequence number of its first byte @param {number} [stream] */
const carrying = (at, stream = 0) => ({ ...segment, 'frame.len': 154, 'tcp.len': 100, 'tcp.dstport': 40000, 'tcp.stream': stream, 'tcp.seq': at });

filterTest('packets: a reordered segment is new; a segment with bytes captured before is a retransmission, before a gap and after it',
  ['fields-to-packets.awk'],
  [captured([1, 201, 301, 201, 101, 301, 401].map((at) => carrying(at)).concat(carrying(1, 1)))],
  `
    packet  direction  mark  frame_b  ip_b  tcp_b  stream_b  again  records  http_b  frames  payload_b  formula_b  wall_us           data_frames  uri
    1       down       -     154      20    20     100       0      0        0       0       0          0          1795312346160473  0            -
    2       down       -     154      20    20     100       0      0        0       0       0          0          1795312346160473  0            -
    3       down       -     154      20    20     100       0      0        0       0       0          0          1795312346160473  0            -
    4       down       -     154      20    20     100       1      0        0       0       0          0          1795312346160473  0            -
    5       down       -     154      20    20     100       0      0        0       0       0          0          1795312346160473  0            -
    6       down       -     154      20    20     100       1      0        0       0       0          0          1795312346160473  0            -
    7       down       -     154      20    20     100       0      0        0       0       0          0          1795312346160473  0            -
    8       down       -     154      20    20     100       0      0        0       0       0          0          1795312346160473  0            -
  `, { options: ['-v', 'port=20000'] });

const WIRE = table(`
  packet  direction  mark       frame_b  ip_b  tcp_b  stream_b  again  records  http_b  frames  payload_b  formula_b
  1       up         -          54       20    20     0         0      0        0       0       0          0
  2       up         binary-13  -        -     -      -         -      -        -       -       -          -
  3       up         -          73       20    20     19        0      0        0       1       13         6
  4       down       -          70       20    20     16        0      0        0       1       13         2
  5       up         -          54       20    20     0         0      0        0       0       0          0
  6       up         batched    -        -     -      -         -      -        -       -       -          -
  7       up         -          193      20    20     139       0      1        0       1       104        6
  8       up         -          193      20    20     139       1      1        0       0       0          0
`);

rowsTest('wire: headers are the stream without HTTP and payload; over TLS the formula gives them, and the rest is TLS; retransmissions count apart',
  sumPackets, [WIRE], `
    step       direction  packets  segments  ethernet_b  ip_b  tcp_b  again_b  stream_b  http_b  frames  payload_b  formula_b  records  segments_b  wire_b  websocket_b  tls_b
    binary-13  up         2        1         28          40    40     0        19        0       1       13         6          0        73          127     6            0
    binary-13  down       1        1         14          20    20     0        16        0       1       13         2          0        70          70      3            0
    batched    up         2        2         28          40    40     139      139       0       1       104        6          2        386         386     6            29
    batched    down       0        0         0           0     0      0        0         0       0       0          0          0        0           0       0            0
  `);

rowsTest('metrics of a wire: a byte beyond the formula is an excess, and so is a missing byte of payload',
  (rows) => describeWire(rows.map(({ step, direction, ...sums }) => (
    { step, direction, ...Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, Number(value)])) })), {})
    .map(([metric, value]) => ({ metric, value })),
  [table(`
    step       direction  segments  segments_b  http_b  frames  payload_b  formula_b  records  websocket_b
    handshake  up         1         279         225     0       0          0          0        0
    binary-13  up         1         73          0       1       13         6          0        6
    binary-13  down       1         70          0       1       13         2          0        3
    text-13    down       1         69          0       2       12         2          0        2
    batched    up         1         164         0       1       104        6          0        6
  `)], `
    metric                value
    handshake_up_b        225
    header_up_b_13        6
    header_down_b_13      3
    batched_up_b          164
    batched_up_segments   1
    batched_up_overhead_b  60
    fragments_max         2
    frame_excess_b        2
  `);
