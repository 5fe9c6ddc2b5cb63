// What both servers of the benchmark offer, so that they differ only in how.
import { z } from 'zod'

/** The fields of a task. */
export const Task = z.object({
  title: z.string().min(1).max(200),
  done: z.boolean().default(false),
  priority: z.number().int().min(1).max(5).default(3),
})

/** Where the tasks are. */
export const PATH = '/api/v1/tasks'

/** The database of the server. */
export const databaseUrl = process.env.BENCH_DATABASE ?? ''
