import { type LruNode, LruList } from './lru-list.ts'

/** A tracker of entries by owner, which prevents one owner from evicting the entries of all other owners. */
export interface Owners {
  /** Assigns a key to an owner. Returns the keys that must be evicted as a result. */
  add(owner: string, entry: { readonly key: string; readonly size: number }): string[]
  /** Removes a key that was deleted or no longer has an owner. */
  delete(key: string): void
}

interface Owned extends LruNode<Owned> {
  readonly key: string
  readonly size: number
  readonly owner: Owner
}

interface Owner extends LruNode<Owner> {
  readonly name: string
  readonly order: LruList<Owned>
  size: number
}

/** The links of a node that is not in a list yet. Owners and their entries do not use `at`. */
const UNLINKED = { at: 0, older: undefined, newer: undefined }

/**
 * Creates an empty tracker. An owner whose total size exceeds `each` loses its oldest entries. If the total size of all
 * owners exceeds `all`, one of the largest owners loses its oldest entries.
 */
export function createOwners({ each, all }: { each: number; all: number }): Owners {
  const owners = new Map<string, Owner>()
  const owned = new Map<string, Owned>()
  // Owners grouped by size, with one class per power of two. Finding the very largest owner would take longer as the
  // number of owners grows.
  const classes = Array.from({ length: 33 }, () => new LruList<Owner>())
  let total = 0

  return {
    add(name, { key, size }) {
      remove(owned.get(key))
      const owner: Owner = owners.get(name) ?? { name, order: new LruList(), size: 0, ...UNLINKED }
      const entry: Owned = { key, size, owner, ...UNLINKED }
      owned.set(key, entry)
      owner.order.append(entry)
      grow(owner, size)
      const gone: string[] = []
      for (let loser = evicteeFor(owner); loser !== undefined; loser = evicteeFor(owner))
        gone.push(...remove(loser.order.oldest))
      return gone
    },
    delete: (key) => void remove(owned.get(key)),
  }

  /** Returns the owner that must lose an entry because `owner` has grown, if any. */
  function evicteeFor(owner: Owner): Owner | undefined {
    if (owner.size > each) return owner
    return total > all ? classes.findLast(({ oldest }) => oldest !== undefined)?.oldest : undefined
  }

  function remove(entry: Owned | undefined): string[] {
    if (entry === undefined) return []
    owned.delete(entry.key)
    entry.owner.order.remove(entry)
    grow(entry.owner, -entry.size)
    return [entry.key]
  }

  function grow(owner: Owner, by: number): void {
    if (owner.size > 0) classOf(owner)?.remove(owner)
    owner.size += by
    total += by
    if (owner.size === 0) return void owners.delete(owner.name)
    owners.set(owner.name, owner)
    classOf(owner)?.append(owner)
  }

  function classOf({ size }: Owner): LruList<Owner> | undefined {
    return classes[32 - Math.clz32(size)]
  }
}
