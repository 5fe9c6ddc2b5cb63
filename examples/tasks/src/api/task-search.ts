/** Shows a route with SQL beside a resource: it finds the ids, and the resource reads the rows. */
import { createRouter, requireUser } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'
import { tasksWith } from './relations.ts'

/** The values of other resources that the page shows with each task. */
const SHOWN = { expand: ['labels', 'commentCount', 'assignee'] } as const

/** Finds tasks by a part of their title. Resource lists filter by exact values; use SQL for other queries. */
export const taskSearch = createRouter().on('GET /', {
  query: z.object({ text: z.string().trim().min(1).max(200) }),
  async handler(ctx) {
    const { id } = await requireUser(ctx)
    await tasksWith.store.ready?.()
    const found = await database.query<{ id: number }>(
      `select id::int from tasks where owner_id = $1 and strpos(lower(title), lower($2)) > 0
       order by tasks.id desc limit 50`,
      [id, ctx.query.text],
    )
    if (found.length === 0) return []
    // The resource reads the rows, so they look the same as in its list.
    const ids = found.map((one) => one.id).join(',')
    const { data } = await ctx.rows(tasksWith).list({ ...SHOWN, 'id[in]': ids, sort: '-id', limit: 50 })
    return data
  },
})
