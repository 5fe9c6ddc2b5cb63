import { describe, expect, it } from 'vitest'
import { parseMigration } from './migration-file.ts'
import { findPendingStep, listPendingFiles } from './pending-step.ts'

describe('parseMigration', () => {
  it('splits a file at its step lines, and reads how each step runs', () => {
    const text = `-- Review this.

-- step 1: notes: added (safe)
-- only if the table notes exists
alter table notes add a int;
alter table notes add b int;

-- step 2
-- no transaction
create index concurrently x on notes (a);
-- step 3
-- in batches
update notes set a = 1 where a is null;
-- step 4
-- drop table notes;
`
    const { steps } = parseMigration('0001-a.sql', text)
    expect(steps.map(({ mode, table, sql }) => [mode, table, sql.split('\n').at(-1)])).toEqual([
      ['transaction', 'notes', 'alter table notes add b int;'],
      ['no transaction', null, 'create index concurrently x on notes (a);'],
      ['batches', null, 'update notes set a = 1 where a is null;'],
    ])
  })

  it('has one step without step lines, and the same checksum on every system', () => {
    const [one] = parseMigration('0001-a.sql', 'select 1;\nselect 2;\n').steps
    const [other] = parseMigration('0001-a.sql', 'select 1;\r\nselect 2;\r\n').steps
    expect(one?.sql).toBe('select 1;\nselect 2;')
    expect(one?.checksum).toBe(other?.checksum)
  })

  it.each([
    ['add-a.sql', 'select 1', 'must be named like 0007-add-language.sql, got add-a.sql'],
    ['0001_a.sql', 'select 1', 'must be named'],
    ['0001-a.sql', 'begin;\nselect 1;\ncommit;', 'cannot contain commit'],
    ['0001-a.sql', '-- in batches\nupdate a set b = 1', 'must be a single update with a where clause'],
    ['0001-a.sql', '-- in batches\nupdate a set b = 1 where c;\ndelete from a;', 'must be a single update'],
    ['0001-a.sql', '-- in batches\ndelete from a where b', 'must be a single update'],
  ])('rejects %s with %j', (name, text, message) => {
    expect(() => parseMigration(name, text)).toThrow(message)
  })
})

describe('findPendingStep', () => {
  const files = [
    parseMigration('0001-a.sql', '-- step\nselect 1\n-- step\nselect 2'),
    parseMigration('0002-b.sql', 'select 3'),
  ]
  const rows = files.flatMap(({ name, steps }) =>
    steps.map(({ checksum }, index) => ({ file: name, step: index + 1, steps: steps.length, checksum })),
  )

  it('returns the first step that is not applied', () => {
    expect(findPendingStep(files, [])).toMatchObject({ file: '0001-a.sql', number: 1, steps: 2 })
    expect(findPendingStep(files, rows.slice(0, 1))).toMatchObject({ number: 2, sql: 'select 2' })
    expect(findPendingStep(files, rows.slice(0, 2))).toMatchObject({ file: '0002-b.sql', number: 1 })
    expect(findPendingStep(files, rows)).toBeNull()
    expect(listPendingFiles(files, rows.slice(0, 1))).toEqual([
      { name: '0001-a.sql', steps: 1 },
      { name: '0002-b.sql', steps: 1 },
    ])
  })

  it('ignores the files of a newer version', () => {
    expect(findPendingStep(files.slice(0, 1), rows)).toBeNull()
  })

  it.each([
    ['an edited step', '-- step\nselect 10\n-- step\nselect 2', rows.slice(0, 1)],
    ['a removed step', '-- step\nselect 1', rows],
    ['a step that was added to an applied file', '-- step\nselect 1\n-- step\nselect 2\n-- step\nselect 3', rows],
  ])('rejects %s', (_what, text, applied) => {
    const edited = [parseMigration('0001-a.sql', text)]
    expect(() => findPendingStep(edited, applied)).toThrow(/migrations\/0001-a.sql was edited.*restore the file/)
  })

  it('accepts an edit of a step that is not applied', () => {
    const edited = [parseMigration('0001-a.sql', '-- step\nselect 1\n-- step\nselect 20')]
    expect(findPendingStep(edited, rows.slice(0, 1))).toMatchObject({ number: 2, sql: 'select 20' })
  })
})
