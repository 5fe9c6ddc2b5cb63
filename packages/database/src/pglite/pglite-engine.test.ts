import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PgliteEngine, startInlineEngine } from './pglite-engine.ts'
import { PgliteSocket } from './pglite-socket.ts'
import { startThreadEngine } from './pglite-thread.ts'
import { startFromTemplate } from './template.ts'

for (const start of [startThreadEngine, startInlineEngine]) {
  describe(`an engine of ${start.name} with the pg driver`, () => {
    let engine: PgliteEngine
    let client: pg.Client
    beforeAll(async () => {
      engine = await startFromTemplate(start, null)
      client = await connect()
    })
    afterAll(async () => {
      await client.end()
      await engine.close()
    })

    async function connect(): Promise<pg.Client> {
      const connected = new pg.Client({ stream: () => new PgliteSocket(() => Promise.resolve(engine), 30_000) })
      await connected.connect()
      return connected
    }

    it('runs simple, prepared and multiple statements', async () => {
      const named = { name: 'by-name', text: 'select $1::int as number' }
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      expect((await client.query({ ...named, values: [2] })).rows).toEqual([{ number: 2 }])
      expect((await client.query({ ...named, values: [3] })).rows).toEqual([{ number: 3 }])
      expect((await client.query('')).rows).toEqual([])
      const results: unknown = await client.query('select 4 as four; select 5 as five')
      expect(results).toMatchObject([{ rows: [{ four: 4 }] }, { rows: [{ five: 5 }] }])
    })

    it('reads rows page by page', async () => {
      const query = { text: 'select n from generate_series(1, 5) n where n > $1', values: [0], rows: 2 }
      expect((await client.query(query)).rows.map(({ n }) => n as number)).toEqual([1, 2, 3, 4, 5])
    })

    it('returns errors of PostgreSQL and continues to work', async () => {
      await expect(client.query('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' })
      await expect(client.query('selec 1')).rejects.toMatchObject({ code: '42601', position: '1' })
      await expect(client.query({ text: 'select $1::int', values: [circular()] })).rejects.toThrow('circular')
      expect((await client.query('select $1::text as text', ['fine'])).rows).toEqual([{ text: 'fine' }])
    })

    it('emits notices', async () => {
      const notices: (string | undefined)[] = []
      client.on('notice', ({ message }) => notices.push(message))
      await client.query(`do $$ begin raise notice 'tea is ready'; end $$`)
      expect(notices).toEqual(['tea is ready'])
    })

    it('sends and returns large values and results', async () => {
      const text = 'ä'.repeat(300_000)
      expect((await client.query('select $1::text as text', [text])).rows).toEqual([{ text }])
      const { rows } = await client.query<{ n: number }>('select n from generate_series(1, 20000) n')
      expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1))
    })

    it('does not send the result of a closed connection to another one', async () => {
      const leaving = await connect()
      const left = leaving.query('select 1 as left')
      await Promise.all([expect(left).rejects.toThrow('Connection terminated'), leaving.end()])
      expect((await client.query('select 2 as two')).rows).toEqual([{ two: 2 }])
    })
  })
}

function circular(): object {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}
