/** Sets the times in a zip file to its epoch, so that the same files give the same bytes whenever they are packed. */

const END = 0x06054b50;
const ENTRY = 0x02014b50;
/** Midnight of 1 January 1980 in DOS format. */
const EPOCH = 0x00210000;

/** Returns a copy of `zip` with all times set to 1980, in the directory and in local headers. Throws for other files. */
export function withoutTimes(zip) {
  const out = Buffer.from(zip);
  let end = out.length - 22;
  while (end >= 0 && out.readUInt32LE(end) !== END) end -= 1;
  if (end < 0) throw new Error('not a zip file');
  let at = out.readUInt32LE(end + 16);
  for (let left = out.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (out.readUInt32LE(at) !== ENTRY) throw new Error('the directory of the zip file is damaged');
    out.writeUInt32LE(EPOCH, at + 12);
    out.writeUInt32LE(EPOCH, out.readUInt32LE(at + 42) + 10);
    at += 46 + out.readUInt16LE(at + 28) + out.readUInt16LE(at + 30) + out.readUInt16LE(at + 32);
  }
  return out;
}
