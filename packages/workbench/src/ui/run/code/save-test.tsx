import { useAPI } from '@sdk/react'
import { useState, type ReactNode } from 'react'
import type { Run } from '../../../run.ts'
import { toCount } from '../../components/format.ts'

interface SaveTestProps {
  readonly run: Run
  /** Returns the code of the test, which reads its recordings from a folder. */
  readonly toCode: (models: string | undefined) => string
  readonly onSaved: () => void
}

/** Returns whether the responses of all models that a run has called were stored, so that a test can replay them. */
export function hasRecordings({ models, recordings }: Run): boolean {
  const answered = models.filter(({ error }) => error === null)
  return recordings.length > 0 && recordings.length >= answered.length && recordings.every(({ json }) => !json.isCut)
}

/** Writes a test for a run to the project, with the recordings of its model calls. */
export function SaveTest({ run, toCode, onSaved }: SaveTestProps): ReactNode {
  const [name, setName] = useState(() => toFileName(run))
  const { invoke, data, error, isLoading } = useAPI('POST /_workbench/api/runs/:id/test')
  const count = run.recordings.length
  async function save(): Promise<void> {
    const code = toCode(count === 0 ? undefined : `models/${name}`)
    if ((await invoke({ name, code }, { params: { id: run.id } }).catch(() => null)) !== null) onSaved()
  }
  return (
    <form
      className="save-test"
      aria-label="Save test"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <div className="toolbar">
        <input
          aria-label="Name of the test"
          value={name}
          aria-invalid={error !== null}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="button" disabled={isLoading || name === ''}>
          Save test
        </button>
      </div>
      {error !== null && (
        <p className="fault" role="alert">
          {error.details[0]?.message ?? error.message}
        </p>
      )}
      {data === undefined ? (
        <p className="quiet small">
          Writes the test to the project
          {count > 0 &&
            `, with ${count === 1 ? 'the response' : `the ${toCount(count)} responses`} of the model, which it replays`}
          .
        </p>
      ) : (
        <div role="status">
          <p className="small">Written:</p>
          <ul className="small">
            {data.files.map((file) => (
              <li key={file}>
                <code>{file}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
    </form>
  )
}

/** Returns a file name for a run, such as `chat` for `POST /agent/chat`. */
function toFileName({ route, target }: Run): string {
  const path = (route ?? target).replace(/^\S+ /, '').replace(/^\/(?:agent|api)\//, '')
  return path.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '') || 'run'
}
