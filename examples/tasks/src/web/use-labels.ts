/** Shows many-to-many: a label is put on a task with `PUT` by its key, and removed with `DELETE`, both optimistic. */
import { useAPI, type OptimisticCache } from '@sdk/react'
import { newKey } from './new-key.ts'
import { changeTask, type Label, type Task, type useTasks } from './use-tasks.ts'

const LABELS = 'GET /api/v1/labels'
const LINK = '/api/v1/taskLabels/by-task-id-label-id/:taskId/:labelId'

/** Returns the labels of the user, and functions to put them on a task. */
export function useLabels(task: Task, attempt: ReturnType<typeof useTasks>['attempt']) {
  const { data } = useAPI(LABELS, { query: { sort: 'name', limit: 100 } })
  const all: readonly Label[] = data?.data ?? []
  const put = useAPI(`PUT ${LINK}`, {
    optimistic: (cache, _link, options) => change(cache, options?.params?.labelId, true),
  })
  const remove = useAPI(`DELETE ${LINK}`, {
    optimistic: (cache, options) => change(cache, options?.params?.labelId, false),
  })
  const create = useAPI('POST /api/v1/tasks/:id/labels', { invalidates: [LABELS, 'GET /api/v1/tasks'] })

  function change(cache: OptimisticCache, labelId: unknown, isOn: boolean): void {
    changeTask(cache, task.id, (old) => {
      const rest = (old.labels ?? []).filter(({ id }) => id !== labelId)
      const labels = isOn ? [...rest, ...all.filter(({ id }) => id === labelId)] : rest
      return { ...old, labels: labels.toSorted((a, b) => a.name.localeCompare(b.name)) }
    })
  }

  const has = (label: Label): boolean => (task.labels ?? []).some(({ id }) => id === label.id)
  const toggle = (label: Label): void => {
    const params = { taskId: task.id, labelId: label.id }
    attempt(`“${label.name}” was not changed`, () =>
      has(label) ? remove.invoke({ params }) : put.invoke({}, { params }),
    )
  }

  return {
    all,
    has,
    toggle,
    /** Creates a label and puts it on the task, or only puts it there if it exists. */
    add(name: string) {
      const existing = all.find((label) => label.name.toLowerCase() === name.toLowerCase())
      const options = { params: { id: task.id }, headers: { 'idempotency-key': newKey() } }
      if (existing === undefined) attempt(`“${name}” was not added`, () => create.invoke({ name }, options))
      else if (!has(existing)) toggle(existing)
    },
  }
}
