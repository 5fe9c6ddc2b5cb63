/**
 * Shows an edit that cannot overwrite newer changes: `If-Match` names its base version; a newer version is a conflict.
 */
import { isApiError, useSdk, type Sdk } from '@sdk/react'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { explain } from '../explain.ts'
import type { Task, useTasks } from '../use-tasks.ts'
import { Notice } from './Notice.tsx'
import { PrioritySelect } from './PrioritySelect.tsx'

interface TaskEditorProps {
  task: Task
  tasks: ReturnType<typeof useTasks>
  onClose: () => void
}

export function TaskEditor({ task: { id, ...task }, tasks, onClose }: TaskEditorProps) {
  const { client } = useSdk()
  const [title, setTitle] = useState(task.title)
  const [priority, setPriority] = useState(task.priority)
  const [theirs, setTheirs] = useState<Task | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const etag = useRef<Promise<string>>(null)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    input.current?.focus()
    etag.current = readVersion(client, id).then((version) => version.etag)
    etag.current.catch(() => {}) // the error is shown when the user saves
  }, [client, id])

  async function save(version: string): Promise<void> {
    setFailure(null)
    try {
      await tasks.edit(id, { title, priority }, version)
      onClose()
    } catch (error) {
      if (isApiError(error) && error.code === 'PRECONDITION_FAILED') return askAgain()
      setFailure(`Your changes were not saved. ${explain(error)}`)
    }
  }

  /** Rebases the edit onto the newer version. */
  async function askAgain(): Promise<void> {
    const version = await readVersion(client, id)
    etag.current = Promise.resolve(version.etag)
    setTheirs(version.task)
  }

  function submit(event?: FormEvent): void {
    event?.preventDefault()
    setTheirs(null)
    const reading = etag.current ?? Promise.resolve('')
    reading.then(save).catch((error: unknown) => setFailure(`Your changes were not saved. ${explain(error)}`))
  }

  return (
    <form className="row editor" onSubmit={submit}>
      <input
        ref={input}
        aria-label="Title"
        maxLength={200}
        required
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      />
      <PrioritySelect value={priority} onChange={setPriority} />
      <button type="submit">Save</button>
      <button type="button" className="plain" onClick={onClose}>
        Cancel
      </button>
      {failure !== null && <Notice>{failure}</Notice>}
      {theirs !== null && (
        <Notice actions={{ 'Keep mine': submit, 'Take theirs': onClose }}>
          This task has changed since you opened it. It is now “{theirs.title}”.
        </Notice>
      )}
    </form>
  )
}

/** Reads the current task and its ETag. */
async function readVersion(client: Sdk['client'], id: number): Promise<{ task: Task; etag: string }> {
  const reply = await client.send('GET /api/v1/tasks/:id', undefined, { params: { id } })
  if (reply.kind !== 'value') throw new TypeError('a task is one value')
  return { task: reply.value as Task, etag: reply.headers.get('etag') ?? '*' }
}
