// Shared by both servers of the benchmark, so that they differ only in the framework.
import { z } from 'zod'

/** The fields of a task. */
export const Task = z.object({
  title: z.string().min(1).max(200),
  done: z.boolean().default(false),
  priority: z.number().int().min(1).max(5).default(3),
})

/** The path of the tasks. */
export const PATH = '/api/v1/tasks'

/** The database of the server. */
export const databaseUrl = process.env.BENCH_DATABASE ?? ''
