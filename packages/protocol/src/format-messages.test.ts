import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { validate, type Schema } from './index.ts'

/** The messages for a string in the wrong format: the format, with an example if its name is not enough. */
const FORMATS: [schema: Schema, message: string][] = [
  [z.url(), 'must be a URL, such as https://example.com'],
  [z.iso.date(), 'must be a date, such as 2026-01-31'],
  [z.iso.time(), 'must be a time, such as 10:00'],
  [z.iso.duration(), 'must be a duration, such as P1DT2H'],
  [z.uuid(), 'must be a valid UUID'],
  [z.ipv4(), 'must be a valid IPv4 address'],
  [z.e164(), 'must be a valid E.164 number'],
  [z.base64(), 'must be a valid base64-encoded string'],
  [z.stringFormat('plate', /^Q/), 'must be a valid plate'],
  [z.string().regex(/^a b$/), 'must match /^a b$/'],
  [z.string().startsWith('q'), 'must start with "q"'],
  [z.string().includes('q'), 'must include "q"'],
  [z.string().lowercase(), 'must be lowercase'],
  [v.pipe(v.string(), v.url()), 'must be a URL, such as https://example.com'],
  [v.pipe(v.string(), v.isoDate()), 'must be a date, such as 2026-01-31'],
  [v.pipe(v.string(), v.isoTime()), 'must be a time, such as 10:00'],
  [v.pipe(v.string(), v.isoDateTime()), 'must be a date and time, such as 2026-01-31T10:00'],
  [v.pipe(v.string(), v.uuid()), 'must be a valid UUID'],
  [v.pipe(v.string(), v.domain()), 'must be a valid domain'],
  [v.pipe(v.string(), v.regex(/^a b$/)), 'must match /^a b$/'],
  [v.pipe(v.string(), v.endsWith('q')), 'must end with "q"'],
  [v.pipe(v.string(), v.includes('q')), 'must include "q"'],
  [v.pipe(v.string(), v.excludes('S')), 'must not include "S"'],
  [type('string.uuid'), 'must be a UUID'],
  [type('string.ip.v4'), 'must be an IPv4 address'],
  [type(/^a b$/), 'must match ^a b$'],
]

describe('a text in the wrong format', () => {
  it.each(FORMATS)('gets a message that names the format: %#', (schema, message) => {
    expect(validate(schema, 'SECRET !')).toMatchObject({ details: [{ code: 'INVALID_FORMAT', message }] })
  })

  it('gets the same message in queries and paths', async () => {
    const schema = z.object({ day: z.iso.date() })
    const message = 'must be a date, such as 2026-01-31'
    for (const source of ['query', 'path'] as const)
      expect(await validate(schema, { day: 'SECRET' }, source)).toEqual({
        ok: false,
        details: [{ code: 'INVALID_FORMAT', message, source, name: 'day' }],
      })
  })
})
