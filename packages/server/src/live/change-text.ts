import type { LiveItem, LiveView } from '../endpoint/live-source.ts'

/**
 * Returns the change from one state of a list to the next as the members `cut`, `put` and `page` of a message. Items
 * are compared by their texts, since SQL may change a row without changing its version.
 */
export function toChangeText(before: LiveView, after: LiveView): string {
  const [old, items] = [before.items ?? [], after.items ?? []]
  // Most changes affect only a few items, so the equal items at both ends are skipped.
  const isEqual = (one: LiveItem | undefined, other: LiveItem | undefined): boolean =>
    one !== undefined && one.id === other?.id && one.hash === other.hash
  let start = 0
  while (isEqual(old[start], items[start])) start += 1
  let end = 0
  while (end < Math.min(old.length, items.length) - start && isEqual(old.at(-1 - end), items.at(-1 - end))) end += 1
  const known = new Map(old.slice(start, old.length - end).map((item, at) => [item.id, { item, at }]))
  const kept = new Set<LiveItem['id']>()
  const put: string[] = []
  let last = -1
  for (const [index, item] of items.slice(start, items.length - end).entries()) {
    const was = known.get(item.id)
    // An item that moved up is removed and inserted again, so that the other items keep their order.
    if (was !== undefined && was.item.hash === item.hash && was.at > last) {
      last = was.at
      kept.add(item.id)
    } else put.push(`[${start + index},${item.text}]`)
  }
  const cut = [...known.keys()].filter((id) => !kept.has(id))
  const page = before.text === after.text ? '' : `,"page":${after.text}`
  return `"cut":[${cut.join()}],"put":[${put.join()}]${page}`
}

/** Returns the whole data as JSON, exactly as the response to a `GET` request contains it. */
export function toDataText({ items, text }: LiveView): string {
  return items === null ? text : `{"data":[${items.map((item) => item.text).join()}],"pagination":${text}}`
}
