/** Shows a live, paginated list with optimistic changes, which wait for the network and are undone if they are rejected. */
import { useAPI, usePages, type OptimisticCache, type PageItem } from '@sdk/react'
import { temporaryId } from '@sdk/react/offline'
import { useState } from 'react'
import { explain } from './explain.ts'

const LIST = 'GET /api/v1/tasks'
const SEARCH = 'GET /api/tasks/search'

/** The values of other resources that the list adds to each task. */
const SHOWN = { expand: ['labels', 'commentCount', 'assignee'] } as const

/** A task as the list shows it. The type is inferred from the schema of the resource. */
export type Task = PageItem<typeof LIST> & {
  labels?: readonly Label[]
  commentCount?: number
  assignee?: { id: string; name: string } | null
}

export interface Label {
  id: number
  name: string
}

/** The filters and the order of the list. */
export interface Filters {
  show: 'all' | 'open' | 'done'
  priority: 'any' | '1' | '2' | '3'
  sort: '-createdAt' | 'priority'
  /** A part of the title; empty matches all tasks. */
  search: string
}

/** A failed action, and a function to retry it. */
interface Failure {
  text: string
  retry: () => void
}

export function useTasks({ show, priority, sort, search }: Filters) {
  const [failure, setFailure] = useState<Failure | null>(null)
  const query = {
    ...(show !== 'all' && { done: show === 'done' }),
    ...(priority !== 'any' && { priority: Number(priority) }),
  }
  const pages = usePages(LIST, { query: { ...query, ...SHOWN, limit: 20, sort }, live: true })
  const count = useAPI(LIST, { query: { ...query, limit: 1, count: true }, keepPreviousData: true, live: true })
  const text = search.trim()
  const found = useAPI(SEARCH, { query: { text }, enabled: text !== '', keepPreviousData: true })
  const list =
    text === ''
      ? { ...pages, total: count.data?.pagination.total }
      : { ...pages, ...found, items: found.data ?? [], hasMore: false, total: undefined }
  const create = useAPI('POST /api/v1/tasks', {
    offline: true, // waits for the network, and is sent in order
    optimistic(cache, task, options) {
      const draft = draftOf(options?.temporaryId ?? 0, task)
      changeTasks(cache, (tasks) => [draft, ...tasks])
    },
  })
  const update = useAPI('PATCH /api/v1/tasks/:id', {
    offline: true,
    optimistic: (cache, patch, options) => changeTask(cache, options?.params?.id, (task) => merge(task, patch)),
  })
  // An edit is not sent later, since it must be compared with the newest version.
  const edit = useAPI('PATCH /api/v1/tasks/:id', {
    optimistic: (cache, patch, options) => changeTask(cache, options?.params?.id, (task) => merge(task, patch)),
  })
  const remove = useAPI('DELETE /api/v1/tasks/:id', {
    offline: true,
    optimistic: (cache, options) => changeTasks(cache, (tasks) => tasks.filter(({ id }) => id !== options?.params?.id)),
  })

  /** Reports a failure. The list has already been rolled back. */
  function attempt(what: string, work: () => Promise<unknown>): void {
    setFailure(null)
    work().catch((error: unknown) =>
      setFailure({ text: `${what}, and your change was undone. ${explain(error)}`, retry: () => attempt(what, work) }),
    )
  }

  return {
    list,
    failure,
    attempt,
    add(task: { title: string; priority: number }) {
      // With this id, the new task can be changed before the server has stored it.
      attempt(`“${task.title}” was not added`, () => create.invoke(task, { temporaryId: temporaryId() }))
    },
    toggle: ({ id, title, done }: Task) =>
      attempt(`“${title}” was not changed`, () => update.invoke({ done: !done }, { params: { id } })),
    assign: ({ id, title }: Task, assigneeId: string | null) =>
      attempt(`“${title}” was not assigned`, () => update.invoke({ assigneeId }, { params: { id } })),
    remove: ({ id, title }: Task) => attempt(`“${title}” was not deleted`, () => remove.invoke({ params: { id } })),
    /** Rejects if the task has changed since `etag`. */
    edit: (id: number, patch: Pick<Task, 'title' | 'priority'>, etag: string) =>
      edit.invoke(patch, { params: { id }, headers: { 'if-match': etag } }),
  }
}

function changeTasks(cache: OptimisticCache, edit: (tasks: Task[]) => Task[]): void {
  cache.update(LIST, (page) => ({ ...page, data: edit([...page.data]) }))
  // Drafts have no labels and comments yet.
  cache.update(SEARCH, (tasks) => edit([...tasks]) as typeof tasks)
}

/** Changes one task in all cached lists. */
export function changeTask(cache: OptimisticCache, id: unknown, edit: (task: Task) => Task): void {
  changeTasks(cache, (tasks) => tasks.map((task) => (task.id === id ? edit(task) : task)))
}

/** A task that the server has not given an id yet; its temporary id is negative. */
function draftOf(id: number, { title, priority = 2 }: { title: string; priority?: number | undefined }): Task {
  return { id, title, priority, done: false, ownerId: '', assigneeId: null, createdAt: '', updatedAt: '' }
}

type TaskPatch = { [Key in keyof Task]?: Task[Key] | null | undefined }

function merge(task: Task, { title, done, priority, assigneeId }: TaskPatch): Task {
  return {
    ...task,
    title: title ?? task.title,
    done: done ?? task.done,
    priority: priority ?? task.priority,
    assigneeId: assigneeId === undefined ? task.assigneeId : assigneeId,
  }
}
