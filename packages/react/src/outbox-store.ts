import { CommonApiError } from '@sdk/protocol'

/** A mutation as it is stored. */
export interface StoredMutation {
  /** The position in the queue, which the database assigns. */
  seq: number
  /** The `Idempotency-Key`. */
  readonly key: string
  readonly route: string
  /** The `MutationRequest`, as JSON. */
  readonly request: string
  /** The id of the new row in later mutations, until the server has created it. */
  readonly temporaryId: number
  readonly createdAt: number
  /** The time of the first attempt. */
  attemptedAt?: number
  /** The reason why the server rejected the mutation. */
  error?: Pick<CommonApiError, 'code' | 'message' | 'status' | 'details'>
}

/** The mutation to send next, and the results of the mutations that it names by their temporary ids. */
export interface Turn {
  readonly mutation: StoredMutation
  readonly results: ReadonlyMap<number, MutationResult>
}

/** The id in the response to a mutation, 0 if the response has none, or null if the mutation failed or was discarded. */
export type MutationResult = number | null

const MAX_MUTATIONS = 1_000
const MAX_CHARACTERS = 5_000_000

/** How long results are kept, in ms: components may still use temporary ids. Results are kept while mutations wait. */
const KEEP_MS = 7 * 86_400_000

/** Returns whether a value is a temporary id: a negative time in µs. Path parameters may be strings. */
export function isTemporaryId(value: unknown): value is number | string {
  return typeof value !== 'object' && /^-\d{16}$/.test(value as string)
}

type Work<T> = (waiting: IDBObjectStore, failed: IDBObjectStore, results: IDBObjectStore) => Promise<T>

/** The queue of a user's mutations in IndexedDB. All tabs share it. */
export class OutboxStore {
  #opened: Promise<IDBDatabase>

  constructor(name: string) {
    const opening = indexedDB.open(name, 1)
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('waiting', { keyPath: 'seq', autoIncrement: true })
      opening.result.createObjectStore('failed', { keyPath: 'seq' })
      opening.result.createObjectStore('results') // by temporary id
    }
    this.#opened = resultOf(opening)
  }

  /** Adds a mutation and sets its `seq`. Throws `OUTBOX_FULL` if it exceeds a limit. */
  add(mutation: Omit<StoredMutation, 'seq'>): Promise<StoredMutation> {
    return this.#run(async (waiting, failed) => {
      const all = await listAll(waiting, failed)
      const size = all.reduce((sum, { request }) => sum + request.length, mutation.request.length)
      if (all.length >= MAX_MUTATIONS || size > MAX_CHARACTERS)
        throw new CommonApiError('OUTBOX_FULL', 'at most 1,000 mutations and 5 MB can wait')
      return { ...mutation, seq: await resultOf<number>(waiting.add(mutation)) }
    }, 'strict')
  }

  /**
   * Returns the first waiting mutation, and notes the time of its first attempt. If none waits, returns `orphan`: a
   * mutation of this tab that another tab has removed.
   */
  next(orphan: StoredMutation | undefined): Promise<Turn | null> {
    return this.#run(async (waiting, failed, results) => {
      const [first] = await resultOf<StoredMutation[]>(waiting.getAll(null, 1))
      const rejected = !first && orphan && (await resultOf<StoredMutation | undefined>(failed.get(orphan.seq)))
      const found = first ?? (rejected || orphan)
      if (found === undefined) return null
      const mutation = { attemptedAt: Date.now(), ...found }
      if (first && !first.attemptedAt) waiting.put(mutation)
      const known = new Map<number, MutationResult>()
      for (const id of [...temporaryIdsIn(found.request), found.temporaryId]) {
        const result = await resultOf<MutationResult | undefined>(results.get(id))
        if (result !== undefined) known.set(id, result)
      }
      return { mutation, results: known }
    })
  }

  remove({ seq, temporaryId }: StoredMutation, result: MutationResult): Promise<void> {
    return this.#run(async (waiting, failed, results) => {
      waiting.delete(seq)
      failed.delete(seq)
      // Other mutations may have waited longer, and name results by ids that are as old.
      const others = (await resultOf<number>(waiting.count())) + (await resultOf<number>(failed.count()))
      if (!others) results.delete(IDBKeyRange.lowerBound((KEEP_MS - Date.now()) * 1_000))
      results.put(result, temporaryId)
    })
  }

  /** Keeps a mutation that the server rejected, unless it was discarded in the meantime. */
  fail(mutation: StoredMutation): Promise<void> {
    return this.#run(async (waiting, failed, results) => {
      if (!(await resultOf<number>(waiting.count(mutation.seq)))) return
      waiting.delete(mutation.seq)
      failed.put(mutation)
      results.put(null, mutation.temporaryId)
    })
  }

  /** Lets mutations that the server rejected wait again, in their old positions. */
  retry(): Promise<void> {
    return this.#run(async (waiting, failed, results) => {
      for (const { error: _, attemptedAt: __, ...mutation } of await resultOf<StoredMutation[]>(failed.getAll())) {
        waiting.put(mutation)
        results.delete(mutation.temporaryId)
      }
      failed.clear()
    })
  }

  /** Returns all mutations in order. */
  list(): Promise<StoredMutation[]> {
    return this.#run(listAll)
  }

  async #run<T>(work: Work<T>, durability: IDBTransactionDurability = 'relaxed'): Promise<T> {
    const transaction = (await this.#opened).transaction(['waiting', 'failed', 'results'], 'readwrite', { durability })
    const at = (name: string): IDBObjectStore => transaction.objectStore(name)
    const committed = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is an error after an abort
      transaction.onabort = () => reject(transaction.error)
    })
    return (await Promise.all([work(at('waiting'), at('failed'), at('results')), committed]))[0]
  }
}

async function listAll(...stores: IDBObjectStore[]): Promise<StoredMutation[]> {
  const all = await Promise.all(stores.slice(0, 2).map((store) => resultOf<StoredMutation[]>(store.getAll())))
  return all.flat().toSorted((a, b) => a.seq - b.seq)
}

function temporaryIdsIn(json: string): Set<number> {
  const found = new Set<number>()
  JSON.parse(json, (_name, value: unknown) => {
    if (isTemporaryId(value)) found.add(Number(value))
    return value
  })
  return found
}

function resultOf<T>(request: IDBRequest): Promise<T>
function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is an error after a failure
    request.onerror = () => reject(request.error)
  })
}
