import { printOf } from './etag.ts'
import { Hash } from './hash.ts'
import type { RowPage } from './page.ts'
import type { ResourceShape } from '../define/store.ts'

/** Names the state of a page as callers see it. */
export type ToListEtag = (page: RowPage) => string

/** Weak tags: the same rows in the same versions, between the same neighbours. */
export function createListEtags(shape: ResourceShape): ToListEtag {
  const print = printOf(shape)
  return ({ rows, pagination }) => {
    const hash = new Hash()
    hash.add(print)
    for (const { id, version, updatedAt } of rows) {
      hash.add(`${id} ${version}`)
      hash.add(updatedAt)
    }
    const { limit, nextCursor, prevCursor, total } = pagination
    hash.add(`${limit} ${total} ${nextCursor} ${prevCursor}`)
    return `W/"${hash.end()}"`
  }
}
