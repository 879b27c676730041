/** Maps that never grow past a number of entries: the oldest goes first. */

/** Entries a cache holds unless told otherwise. */
const USUAL_SIZE = 4096;

/** Adds to a map that never grows past `limit` entries, and returns the value. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, limit = USUAL_SIZE): V {
  if (map.size >= limit) {
    const oldest = map.keys().next();
    if (!oldest.done) map.delete(oldest.value);
  }
  map.set(key, value);
  return value;
}
