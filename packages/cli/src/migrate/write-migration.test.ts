import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import type { ProjectPlan } from './project-plan.ts'
import { selectSteps, writeMigration } from './write-migration.ts'

const PLAN: ProjectPlan = {
  files: [],
  unmanaged: [],
  changes: [
    {
      table: 'notes',
      what: 'the field label was added',
      why: 'it is required',
      kind: 'needed',
      question: { text: 'renamed?', alternative: ['keep the column'] },
      steps: [
        { sql: 'alter table a', judgement: 'safe while the old version is running', mode: 'transaction' },
        { sql: 'update a set b where c', judgement: 'safe while the old version is running', mode: 'batches' },
        { sql: 'create index', judgement: 'safe while the old version is running', mode: 'no transaction' },
        { sql: 'alter table b', judgement: 'requires the old version to be stopped', mode: 'transaction' },
        { sql: 'alter table a drop column if exists c', judgement: 'loses data', mode: 'transaction' },
      ],
    },
  ],
}

describe('writeMigration', () => {
  it('writes the safe steps, with how they run', () => {
    const { path } = temporaryFolder('write')
    const file = writeMigration(join(path, 'migrations'), 'rename-title', selectSteps(PLAN, false))
    expect(file).toBe('0001-rename-title.sql')
    expect(readFileSync(join(path, 'migrations', file), 'utf8')).toBe(
      `-- Review this SQL and replace its values as needed. sdk start applies each step once, in this order.

-- step 1: notes: the field label was added (safe while the old version is running)
-- renamed?
--   keep the column
-- only if the table notes exists
alter table a;

-- step 2: notes: the field label was added (safe while the old version is running)
-- in batches
-- only if the table notes exists
update a set b where c;

-- step 3: notes: the field label was added (safe while the old version is running)
-- no transaction
-- only if the table notes exists
create index;
`,
    )
  })

  it('writes steps that would break the old version only when finishing, and drops no column by itself', () => {
    const { path } = temporaryFolder('write')
    writeFileSync(join(path, '0041-first.sql'), '')
    const file = writeMigration(path, 'finish', selectSteps(PLAN, true))
    expect(file).toBe('0042-finish.sql')
    const text = readFileSync(join(path, file), 'utf8')
    expect(text).toContain(
      '(requires the old version to be stopped)\n-- only if the table notes exists\nalter table b;\n',
    )
    expect(text).toContain(
      '(loses data)\n-- only if the table notes exists\n-- alter table a drop column if exists c;\n',
    )
  })
})
