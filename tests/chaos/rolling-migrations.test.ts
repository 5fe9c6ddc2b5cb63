import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type Database } from '@sdk/database'
import type { PlannedStep } from '@sdk/server'
import { createDatabase, hasPostgres, temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLoad, type Load } from './migrations/load.ts'
import { startVersion } from './migrations/start-version.ts'
import { toResource, type Version } from './migrations/version.ts'
import { addRow, choose } from './mode.ts'

const ROWS = choose(100_000, 2_000)
const LOAD_MS = choose(5_000, 700)

interface Change {
  readonly from: Version
  readonly to: Version
  /** Whether the old version has stopped to write what the new one rejects, so that all steps are applied at once. */
  readonly isWholeAtOnce?: boolean
}

/** A table for each kind of change. */
const CHANGES: Readonly<Record<string, Change>> = {
  added: { from: { fields: { title: 'string' } }, to: { fields: { title: 'string', language: 'string' } } },
  required: {
    from: { fields: { title: 'string', note: 'string?' } },
    to: { fields: { title: 'string', note: 'string' } },
    isWholeAtOnce: true,
  },
  renamed: {
    from: { fields: { title: 'string', size: 'integer' } },
    to: { fields: { label: 'string', size: 'integer' } },
  },
  mapped: {
    from: { fields: { title: 'string' } },
    to: { fields: { label: 'string' }, columns: { label: 'title' } },
  },
  retyped: {
    from: { fields: { title: 'string', size: 'integer' } },
    to: { fields: { title: 'string', size: 'number' }, columns: { size: 'size_number' } },
  },
  dropped: { from: { fields: { title: 'string', size: 'integer' } }, to: { fields: { title: 'string' } } },
  unified: { from: { fields: { title: 'string' } }, to: { fields: { title: 'string' }, unique: ['title'] } },
  referring: { from: { fields: { parentId: 'integer' } }, to: { fields: { parentId: 'integer' } } },
}
const OLD = toVersions(({ from }) => from)
const NEW = toVersions(({ to }) => to)

/** The plan contains references only when a resource declares them. */
const REFERENCE: readonly PlannedStep[] = [
  'create index concurrently by_parent on referring (parent_id)',
  'alter table referring add constraint parent foreign key (parent_id) references added (id) not valid',
  'alter table referring validate constraint parent',
].map((sql, index) => ({
  sql,
  judgement: 'safe while the old version is running',
  mode: index === 0 ? 'no transaction' : 'transaction',
}))

const DIRECTIVES = { transaction: '', 'no transaction': '-- no transaction\n', batches: '-- in batches\n' }

function toVersions(choice: (change: Change) => Version): Record<string, Version> {
  return Object.fromEntries(Object.entries(CHANGES).map(([name, change]) => [name, choice(change)]))
}

describe.skipIf(!hasPostgres())('two versions during a change of their tables', () => {
  const folder = temporaryFolder('rolling')
  let url: string
  let database: Database
  beforeAll(async () => {
    url = await createDatabase()
    database = openDatabase(url)
  })
  afterAll(async () => {
    await database.close()
    folder.remove()
  })

  async function planNew(name: string): Promise<readonly PlannedStep[]> {
    const version = NEW[name] ?? { fields: {} }
    const { changes } = (await toResource(name, version, database).store.plan?.()) ?? { changes: [] }
    return changes.flatMap(({ steps }) => steps)
  }

  function writeFile(name: string, steps: readonly PlannedStep[]): void {
    writeFileSync(
      join(folder.path, name),
      steps.map(({ sql, mode }) => `-- step\n${DIRECTIVES[mode]}${sql};\n`).join(''),
    )
  }

  async function seed(): Promise<void> {
    for (const [name, { fields }] of Object.entries(OLD)) {
      const columns = Object.keys(fields).map((field) => (field === 'parentId' ? 'parent_id' : field))
      const values = Object.entries(fields).map(([field, type]) =>
        type === 'string?' ? 'null' : field === 'parentId' ? '1' : type === 'string' ? `'seed ' || n` : 'n',
      )
      await database.query(
        `insert into ${name} (${columns.join()}) select ${values.join()} from generate_series(1, ${ROWS}) n`,
      )
    }
  }

  it('serve every request, from the first step to the last', async () => {
    const old = await startVersion({ versions: OLD, url, folder: null })
    await expect.poll(async () => (await fetch(`${old.url}/readyz`)).status).toBe(200)
    await seed()
    const loads: Load[] = [startLoad(old.url, OLD, 'old')]
    await sleep(LOAD_MS / 2)

    const first: PlannedStep[] = [...REFERENCE]
    for (const [name, { isWholeAtOnce = false }] of Object.entries(CHANGES)) {
      const isNow = ({ judgement }: PlannedStep): boolean => judgement === 'safe while the old version is running'
      first.push(...(await planNew(name)).filter((step) => isWholeAtOnce || isNow(step)))
    }
    writeFile('0001-expand.sql', first)
    const next = await startVersion({ versions: NEW, url, folder: folder.path })
    await expect.poll(async () => (await fetch(`${next.url}/readyz`)).status).toBe(200)
    loads.push(startLoad(next.url, NEW, 'new'))
    await sleep(LOAD_MS)
    const oldEnd = await loads[0]?.stop()
    await old.stop()

    const second: PlannedStep[] = []
    for (const name of Object.keys(CHANGES)) second.push(...(await planNew(name)))
    writeFile('0002-contract.sql', second)
    const last = await startVersion({ versions: NEW, url, folder: folder.path })
    await expect.poll(async () => (await fetch(`${last.url}/readyz`)).status).toBe(200)
    loads.push(startLoad(last.url, NEW, 'last'))
    await sleep(LOAD_MS / 2)
    const [nextEnd, lastEnd] = [await loads[1]?.stop(), await loads[2]?.stop()]

    expect([oldEnd?.failures, nextEnd?.failures, lastEnd?.failures]).toEqual([[], [], []])
    for (const end of [oldEnd, nextEnd, lastEnd]) expect(end?.requests).toBeGreaterThan(30)
    expect(await Promise.all(Object.keys(CHANGES).map(planNew))).toEqual(Object.keys(CHANGES).map(() => []))
    const empty = `select (select count(*) from renamed where label is null)
      + (select count(*) from retyped where size_number is null) + (select count(*) from required where note is null) as n`
    expect(await database.query(empty)).toEqual([{ n: 0 }])
    await Promise.all([next.kill(), last.kill()])
    addRow({
      name: 'rolling migration',
      rows: ROWS * Object.keys(CHANGES).length,
      'requests of the old version': oldEnd?.requests ?? 0,
      'of the new version': (nextEnd?.requests ?? 0) + (lastEnd?.requests ?? 0),
      failed: 0,
    })
  })
})
