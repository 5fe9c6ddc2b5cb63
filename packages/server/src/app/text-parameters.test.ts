import { expect, it } from 'vitest'
import { z } from 'zod'
import { createRouter } from '../define/router.ts'
import type { Log } from '../log/log.ts'
import { createApp } from './app.ts'

const handler = (): null => null

async function warningsOf(router: ReturnType<typeof createRouter>): Promise<unknown[]> {
  const warnings: unknown[] = []
  const log: Log = {
    debug() {},
    info() {},
    warn: (message, fields) => void warnings.push([message, fields]),
    error() {},
  }
  const app = createApp({ router, log })
  await app.ready()
  await app.close()
  return warnings
}

it('lists parameters whose schemas accept no text', async () => {
  const query = z.object({
    page: z.number().optional(),
    done: z.boolean(),
    tags: z.array(z.string()).max(3),
    size: z.literal(5),
    id: z.string(),
  })
  const router = createRouter().on('GET /api/years/:year', { params: z.object({ year: z.int() }), query, handler })
  expect(await warningsOf(router)).toEqual([
    [
      'some parameters reject every request, since they are texts: convert them, for example with z.coerce.number()',
      {
        input: ['params.year', 'query.page', 'query.done', 'query.tags', 'query.size'].map(
          (at) => `GET /api/years/:year ${at}`,
        ),
      },
    ],
  ])
})

it('lists none that convert texts, or with a check that needs another parameter', async () => {
  const query = z.object({
    page: z.coerce.number().min(20),
    size: z.coerce.number().pipe(z.literal(5)),
    done: z.stringbool(),
    flag: z.union([z.number(), z.string()]),
    tags: z.string().transform((text) => text.split(',')),
    since: z.coerce.date(),
  })
  const whole = z.object({ page: z.coerce.number(), id: z.any() }).refine(({ id }) => (id as string).length > 0)
  const router = createRouter().on('GET /api/tasks', { query, handler }).on('GET /api/notes', { query: whole, handler })
  expect(await warningsOf(router)).toEqual([])
})
