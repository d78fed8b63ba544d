import records from '../common/records.cjs';

const { KIND, SIZE_B } = records;

/**
 * Splits a driver's stream of bytes into records.
 */
export class RecordReader {
  /** @type {Buffer} */
  #rest = Buffer.alloc(0);

  /**
   * @param {(kind: number, bytes: number, a_us: number, b_us: number, c_us: number) => void} onRecord
   * @param {(kind: number, content: any) => void} onJson
   */
  constructor(onRecord, onJson) {
    this.onRecord = onRecord;
    this.onJson = onJson;
  }

  /**
   * Reads the next bytes. They may end inside a record.
   * @param {Buffer} bytes
   */
  read(bytes) {
    const buffer = this.#rest.length ? Buffer.concat([this.#rest, bytes]) : bytes;
    let offset = 0;
    let length;
    while ((length = this.#readOne(buffer, offset))) offset += length;
    this.#rest = buffer.subarray(offset);
  }

  /**
   * Reads the record at `offset`.
   * @param {Buffer} buffer
   * @param {number} offset
   * @returns {number} its length, 0 if it is not complete yet
   */
  #readOne(buffer, offset) {
    if (buffer.length < offset + SIZE_B) return 0;
    const kind = buffer.readUInt32LE(offset);
    const bytes = buffer.readUInt32LE(offset + 4);
    if (kind < KIND.HELLO) {
      this.onRecord(kind, bytes, buffer.readDoubleLE(offset + 8), buffer.readDoubleLE(offset + 16), buffer.readDoubleLE(offset + 24));
      return SIZE_B;
    }
    const end = offset + SIZE_B + bytes;
    if (buffer.length < end) return 0;
    this.onJson(kind, JSON.parse(buffer.toString('utf8', offset + SIZE_B, end)));
    return SIZE_B + bytes;
  }
}
