/** Small caches: maps that never grow past a number of entries (the oldest goes first), and answers kept with what they are about. */

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

/**
 * The same function, computed once for each object and kept for as long as that object is. Only for objects that do not
 * change, and answers that are never `undefined`.
 */
export function once<K extends object, V extends NonNullable<unknown>>(of: (key: K) => V): (key: K) => V {
  const kept = new WeakMap<K, V>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const value = of(key);
    kept.set(key, value);
    return value;
  };
}
