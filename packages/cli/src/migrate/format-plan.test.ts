import { describe, expect, it } from 'vitest'
import { formatPlan } from './format-plan.ts'
import type { TableChange } from './project-plan.ts'

const CHANGE: TableChange = {
  table: 'notes',
  what: 'the field size was added',
  why: null,
  kind: 'automatic',
  steps: [
    { sql: 'alter table a', judgement: 'safe while the old version is running', mode: 'transaction' },
    { sql: 'create index', judgement: 'safe while the old version is running', mode: 'no transaction' },
    { sql: 'update a', judgement: 'requires the old version to be stopped', mode: 'batches' },
    { sql: 'update b', judgement: 'requires the old version to be stopped', mode: 'batches' },
  ],
}

describe('formatPlan', () => {
  it('prints every statement with its judgement', () => {
    expect(formatPlan({ changes: [CHANGE], files: [], unmanaged: [] })).toEqual([
      '-- notes: the field size was added',
      '-- safe while the old version is running',
      'alter table a;',
      '-- safe while the old version is running, no transaction',
      'create index;',
      '-- requires the old version to be stopped, in batches',
      'update a;',
      'update b;',
      '',
      '-- pending changes: 1 that sdk start applies automatically',
    ])
  })

  it('prints the reason and the question of a change, and what is optional', () => {
    const question = { text: 'renamed?', alternative: ['alter table x'] }
    const needed: TableChange = { ...CHANGE, kind: 'needed', why: 'it is required', question, steps: [] }
    expect(
      formatPlan({ changes: [needed, { ...CHANGE, kind: 'cleanup', steps: [] }], files: [], unmanaged: [] }),
    ).toEqual([
      '-- notes: the field size was added: it is required',
      '-- renamed?',
      '--   alter table x',
      '',
      '-- notes: the field size was added',
      '',
      '-- pending changes: 1 that must be applied first; optional cleanup changes: 1',
    ])
  })

  it('names the resources whose stores manage their own migrations', () => {
    expect(formatPlan({ changes: [], files: [], unmanaged: ['drafts'] })).toEqual([
      expect.stringContaining('-- drafts: not stored with table(); drizzleTable, Prisma'),
      '-- nothing to do: the database matches the schemas',
    ])
  })
})
