/** Adds a value to the set of a key. */
export function addTo<Key, Value>(index: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const values = index.get(key) ?? new Set()
  index.set(key, values.add(value))
}

/** Removes a value from the set of a key, and the set if it is empty. */
export function removeFrom<Key, Value>(index: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const values = index.get(key)
  if (values?.delete(value) === true && values.size === 0) index.delete(key)
}
