import { z } from 'zod'
import { database } from '../database.ts'

export const newTask = z.object({ title: z.string().trim().min(1).max(200) })

export interface Task {
  id: number
  title: string
  author: string | null
}

/** The latest tasks, newest first. */
export async function listTasks(): Promise<Task[]> {
  await table()
  return database.query<Task>('select id, title, author from tasks order by id desc limit 50')
}

/** Adds a task and gives it back as it was stored. */
export async function addTask(title: string, author: string | null): Promise<Task> {
  await table()
  const [task] = await database.query<Task>(
    'insert into tasks (title, author) values ($1, $2) returning id, title, author',
    [title, author],
  )
  if (task === undefined) throw new Error('the insert returned no row')
  return task
}

let made: Promise<unknown> | undefined

/** Makes the table once, when it is first needed. */
function table(): Promise<unknown> {
  return (made ??= database.query(
    'create table if not exists tasks (id integer generated always as identity primary key, title text not null, author text)',
  ))
}
