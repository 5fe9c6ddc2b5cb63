/** Shows an agent that needs approval: the form comes from `run.waiting`, also after a reload or on another device. */
import { useAPI } from '@sdk/react'
import { explain } from '../explain.ts'
import { Notice } from './Notice.tsx'

interface FinishedTask {
  id: number
  title: string
}

export function Tidy() {
  const { data, invoke, isLoading, error, run } = useAPI('POST /agent/tidy', {
    thread: 'tidy', // one conversation per user
    invalidates: ['GET /api/v1/tasks'],
  })
  const asked = run?.waiting?.event === 'approval' ? (run.waiting.ask as FinishedTask[]) : null
  return (
    <section className="card tidy" aria-label="Tidy up" aria-busy={isLoading}>
      <h2>Tidy up</h2>
      <p className="quiet">An agent finds your finished tasks, and deletes them only if you agree.</p>
      {error !== null && <Notice>{explain(error)}</Notice>}
      {run !== null && asked !== null ? (
        <Approval run={run.id} tasks={asked} />
      ) : (
        <div className="row">
          <button type="button" className="second" disabled={isLoading} onClick={() => void invoke(undefined)}>
            Find finished tasks
          </button>
          <p role="status">{data === undefined || isLoading ? '' : resultOf(data.deleted)}</p>
        </div>
      )}
    </section>
  )
}

function Approval({ run, tasks }: { run: string; tasks: readonly FinishedTask[] }) {
  const { invoke, isLoading, isSuccess, error } = useAPI('POST /agent/tidy/runs/:run/events/approval')
  const decide = (ok: boolean): void => void invoke({ ok }, { params: { run } })
  const isDecided = isLoading || isSuccess
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        decide(true)
      }}
    >
      <ul aria-label="Finished tasks">
        {tasks.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ul>
      {error !== null && <Notice>{explain(error)}</Notice>}
      <div className="row">
        <button type="submit" disabled={isDecided}>
          {tasks.length === 1 ? 'Delete it' : `Delete these ${tasks.length}`}
        </button>
        <button type="button" className="second" disabled={isDecided} onClick={() => decide(false)}>
          Keep {tasks.length === 1 ? 'it' : 'them'}
        </button>
      </div>
    </form>
  )
}

function resultOf(deleted: number): string {
  if (deleted === 0) return 'Nothing was deleted.'
  return deleted === 1 ? 'One task was deleted.' : `${deleted} tasks were deleted.`
}
