import { codePoint } from '@sdk/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { continueTrace, parseTraceparent, parseTracestate } from './trace.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const VALID = `00-${TRACE}-${SPAN}-01`

const letters = (all: string) => fc.constantFrom(...all.split(''))
const hex = (length: number) => fc.string({ unit: letters('0123456789abcdef'), minLength: length, maxLength: length })
const id = (length: number) => hex(length).filter((text) => /[^0]/.test(text))

describe('parseTraceparent', () => {
  it('parses version 00', () => {
    expect(parseTraceparent(VALID)).toEqual({ traceId: TRACE, parentId: SPAN, isSampled: true, isRandom: false })
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)).toMatchObject({ isSampled: false, isRandom: true })
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-ff`)).toMatchObject({ isSampled: true, isRandom: true })
  })

  it.each([
    [null],
    [''],
    [`ff-${TRACE}-${SPAN}-01`],
    [`00-${'0'.repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [VALID.toUpperCase()],
    [`${VALID}-extra`],
    [`${VALID}-`],
    [`${VALID}0`],
    [VALID.slice(0, -1)],
    [`${VALID}, ${VALID}`],
    [`01-${TRACE}-${SPAN}-01extra`],
    [`0-${TRACE}-${SPAN}-01`],
    [` ${VALID}`],
    [`00_${TRACE}_${SPAN}_01`],
  ])('returns null for %s', (header) => expect(parseTraceparent(header)).toBeNull())

  it.each(['', '-', '-what-comes-next'])('parses the known fields of a later version: %s', (more) => {
    const read = parseTraceparent(`cc-${TRACE}-${SPAN}-01${more}`)
    expect(read).toEqual({ traceId: TRACE, parentId: SPAN, isSampled: true, isRandom: false })
  })

  it('parses all valid headers', () => {
    fc.assert(
      fc.property(hex(2), id(32), id(16), fc.nat(255), (version, traceId, parentId, flags) => {
        const read = parseTraceparent(`${version}-${traceId}-${parentId}-${flags.toString(16).padStart(2, '0')}`)
        expect(read).toEqual(
          version === 'ff' ? null : { traceId, parentId, isSampled: flags % 2 === 1, isRandom: flags % 4 > 1 },
        )
      }),
    )
  })

  it('accepts a header with one changed character only if it is still valid', () => {
    fc.assert(
      fc.property(fc.nat(VALID.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, other) => {
        const changed = VALID.slice(0, at) + other + VALID.slice(at + 1)
        const isValid = /^(?!ff)[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(changed)
        expect(parseTraceparent(changed) !== null).toBe(isValid)
      }),
    )
  })

  it('returns null for arbitrary text', () => {
    const noise = fc.string({ unit: codePoint, maxLength: 80 })
    fc.assert(fc.property(noise, (text) => parseTraceparent(text) === null))
  })
})

describe('parseTracestate', () => {
  it.each([
    ['rojo=00f067aa0ba902b7', 'rojo=00f067aa0ba902b7'],
    ['a=1, b=2 ,\tc=3', 'a=1,b=2,c=3'],
    ['a=1,,b=2,', 'a=1,b=2'],
    ['fw529a3039@dt=FfwAAAAAAAA', 'fw529a3039@dt=FfwAAAAAAAA'],
    ['0tenant@sys=x y', '0tenant@sys=x y'],
    ['a=1,b=2,a=1,a=3', 'a=1,b=2'],
  ])('returns the members of %s', (header, passed) => expect(parseTracestate(header)).toBe(passed))

  it.each([
    [null],
    [''],
    [' , '],
    ['a'],
    ['=1'],
    ['a='],
    ['A=1'],
    ['1a=1'],
    ['a=b=c'],
    ['a@B=1'],
    ['a=\u00E9'],
    [Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(',')],
    [`${'k'.repeat(257)}=1`],
  ])('returns null for %s', (header) => expect(parseTracestate(header)).toBeNull())

  // With quadratic time, each would take half a second, and 200 would exceed the timeout.
  it('parses long whitespace in linear time', () => {
    for (let n = 0; n < 200; n++) expect(parseTracestate(`a=1${' '.repeat(15_000 + n)}x`)).toBeNull()
  })

  it('removes whole members if it is too long: long ones first, then from the end', () => {
    const members = Array.from({ length: 12 }, (_, n) => `k${n}=${'x'.repeat(50)}`)
    expect(parseTracestate(members.join(','))).toBe(members.slice(0, 9).join(','))
    const long = `long=${'y'.repeat(200)}`
    expect(parseTracestate([long, ...members.slice(0, 6)].join(','))).toBe(members.slice(0, 6).join(','))
  })

  it('returns at most 512 characters, as whole members in order', () => {
    const value = fc.string({ unit: letters('abcXYZ019;:/-'), minLength: 1, maxLength: 256 })
    const key = fc.string({ unit: letters('abcdef'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 32 }), (pairs) => {
        const members = pairs.map(([name, text]) => `${name}=${text}`)
        const passed = parseTracestate(members.join(',')) ?? ''
        expect(passed.length).toBeLessThanOrEqual(512)
        const kept = passed.split(',').filter((member) => member !== '')
        expect(members.filter((member) => kept.includes(member))).toEqual(kept)
        expect(kept.length === members.length).toBe(members.join(',').length <= 512)
      }),
    )
  })
})

describe('continueTrace', () => {
  it('continues the trace of the caller', () => {
    const trace = continueTrace(VALID, 'rojo=1')
    expect(trace.knownId()).toBe(TRACE)
    expect(trace.traceId).toBe(TRACE)
    expect(trace.parent?.parentId).toBe(SPAN)
    expect(trace.tracestate).toBe('rojo=1')
    expect(trace.traceparent).toBe(`00-${TRACE}-${trace.spanId}-01`)
    expect(trace.spanId).not.toBe(SPAN)
  })

  it.each(['00', '01', '02', '03'])('keeps the flags %s and drops unknown ones', (flags) => {
    const passed = (sent: string): string => continueTrace(`00-${TRACE}-${SPAN}-${sent}`, null).traceparent.slice(-2)
    expect([passed(flags), passed(`f${(Number(flags) | 0xc).toString(16)}`)]).toEqual([flags, flags])
  })

  it.each([null, 'nonsense'])('starts a trace only when it is read: %s', (header) => {
    const trace = continueTrace(header, 'rojo=1')
    expect(trace.knownId()).toBeNull()
    const { traceId, spanId } = trace
    expect(trace.knownId()).toBe(traceId)
    expect(trace.traceparent).toBe(`00-${traceId}-${spanId}-02`)
    expect(parseTraceparent(trace.traceparent)).toMatchObject({ traceId, parentId: spanId })
    expect(trace.tracestate).toBeNull()
    expect(continueTrace(header, null).traceId).not.toBe(traceId)
  })
})
