import { codePoint } from '@sdk/test-kit'
import { assert, property, array, integer, nat, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRecords, toRecordLine } from './records.ts'
import { makeRun } from './run.test.fixture.ts'

const file = (texts: readonly string[]): Buffer =>
  Buffer.concat(texts.map((text, at) => toRecordLine(makeRun(at, { target: text, error: text }))))

describe('parseRecords', () => {
  it('returns the complete runs of a truncated file', () => {
    assert(
      property(array(string({ unit: codePoint }), { maxLength: 3 }), nat(), (texts, cut) => {
        const bytes = file(texts)
        const whole = parseRecords(bytes)
        const { runs, bad } = parseRecords(bytes.subarray(0, bytes.length === 0 ? 0 : cut % (bytes.length + 1)))
        expect(whole.runs.map(({ run }) => run.target)).toEqual(texts)
        expect(runs.map(({ run }) => run)).toEqual(whole.runs.slice(0, runs.length).map(({ run }) => run))
        expect(bad).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  it('skips lines with a missing or wrong field', () => {
    const bad = [{ id: 'x', pieces: [], request: null }, { ...makeRun(1), startedAt: 'no' }, [], null, '"']
    const lines = [...bad, makeRun(2)].map((value) => `${JSON.stringify(value)}\n`)
    const records = parseRecords(Buffer.from(lines.join('')))
    expect([records.bad, records.runs.map(({ run }) => run.startedAt)]).toEqual([5, [2]])
  })

  it('returns the location of each run', () => {
    const bytes = file(['one', 'zwölf 🌍'])
    const { runs } = parseRecords(bytes)
    for (const { run, from, bytes: length } of runs)
      expect(JSON.parse(bytes.subarray(from, from + length).toString())).toEqual(run)
  })

  it('skips lines that are not runs', () => {
    assert(
      property(integer({ min: 0, max: 3 }), (at) => {
        const lines = ['a', 'b', 'c'].map((text, index) => toRecordLine(makeRun(index, { target: text })))
        lines.splice(at, 0, Buffer.from('{"id": "run-1", torn\n'))
        const { runs, bad } = parseRecords(Buffer.concat(lines))
        expect(runs.map(({ run }) => run.target)).toEqual(['a', 'b', 'c'])
        expect(bad).toBe(1)
      }),
    )
  })

  it.each(['null', '7', '[]', '{}', '{"id":"x"}'])('rejects %s', (line) => {
    expect(parseRecords(Buffer.from(`${line}\n`))).toEqual({ runs: [], bad: 1 })
  })
})
