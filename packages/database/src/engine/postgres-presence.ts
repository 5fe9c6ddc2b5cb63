import { randomUUID } from 'node:crypto'
import type { EngineMember } from '@sdk/server'
import type { PresenceStore } from '@sdk/server/engine'
import { Batcher } from './request-batcher.ts'
import type { EngineQuery } from './engine-connection.ts'
import type { TableNames } from './tables.ts'
import { fromColumnText, toColumnText } from './column-text.ts'

/** The maximum number of rooms that one statement lists. */
const MAX_ROOMS_PER_QUERY = 200

/** Creates the presence store in PostgreSQL. A process has one lease for all its rooms. `lease` is in ms. */
export function createPostgresPresence(query: EngineQuery, names: TableNames, lease: number): PresenceStore {
  const { members, processes } = names
  const self = randomUUID()
  const until = `clock_timestamp() + make_interval(secs => ${lease / 1000})`
  const hold = `insert into ${processes} (process, until) values ($1, ${until}) on conflict (process) do update set until = excluded.until`
  const put = `insert into ${members} (process, room, id, data, at)
    select $1, $2, id, data, clock_timestamp() from unnest($3::text[], $4::text[]) as entered (id, data)
    on conflict (room, process, id) do update set data = excluded.data, at = excluded.at`

  const inOrder = createKeyedQueue()
  const lists = new Batcher(MAX_ROOMS_PER_QUERY, listAll)

  return {
    async enter(room, { id, data }) {
      await inOrder(room, () =>
        query(`with held as (${hold}) ${put}`, [self, toColumnText(room), [toColumnText(id)], [toColumnText(data)]]),
      )
    },
    async enterAll(room, all) {
      const [ids, data] = [[...all.keys()].map(toColumnText), [...all.values()].map(toColumnText)]
      const gone = `delete from ${members} where process = $1 and room = $2 and id <> all ($3::text[])`
      await inOrder(room, () =>
        query(`with held as (${hold}), gone as (${gone}) ${put}`, [self, toColumnText(room), ids, data]),
      )
    },
    async renew(rooms) {
      const sql = `update ${processes} set until = ${until} where process = $1 and until > clock_timestamp() returning 1`
      if ((await query(sql, [self])).length > 0) return []
      // The lease has expired, or was lost in a crash or deleted by a cleanup.
      await query(hold, [self])
      return [...rooms]
    },
    async leave(room, ids) {
      const sql = `delete from ${members} where room = $1 and process = $2 and id = any ($3::text[])`
      await inOrder(room, () => query(sql, [toColumnText(room), self, ids.map(toColumnText)]))
    },
    list: (room) => lists.add(toColumnText(room)),
    readRun: () => Promise.resolve(''), // not needed, since `renew` reports lost leases
  }

  async function listAll(rooms: readonly string[]): Promise<EngineMember[][]> {
    // A member that is in two processes, for example because its session has just moved, is returned once: the later
    // entry wins.
    const sql = `select distinct on (room, id) room, id, data from ${members} join ${processes} using (process)
      where room = any ($1::text[]) and until > clock_timestamp() order by room, id, at desc`
    const rows = await query<EngineMember & { room: string }>({ name: 'sdk_engine_list', text: sql }, [rooms])
    const found = new Map<string, EngineMember[]>(rooms.map((room) => [room, []]))
    for (const { room, id, data } of rows) found.get(room)?.push({ id: fromColumnText(id), data: fromColumnText(data) })
    return rooms.map((room) => (found.get(room) ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  }
}

/** Creates a queue that runs work with the same name sequentially, since pooled connections do not preserve order. */
function createKeyedQueue(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const before = last.get(name)
    const done = before === undefined ? work() : before.then(work, work)
    last.set(name, done)
    const forget = (): unknown => last.get(name) === done && last.delete(name)
    done.then(forget, forget)
    return done
  }
}
