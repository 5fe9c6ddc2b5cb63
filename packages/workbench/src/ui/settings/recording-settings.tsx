import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import type { Settings } from '../../api.ts'
import { ClearRuns } from './clear-runs.tsx'
import { RecordingForm } from './recording-form.tsx'

/** Settings of the recorder and of retention. */
export function RecordingSettings(): ReactNode {
  const { data, error, refetch } = useAPI('GET /_workbench/api/settings')
  const { invoke, isLoading, data: saved, error: refusal } = useAPI('PUT /_workbench/api/settings')

  function save(next: Settings): void {
    invoke(next).then(
      () => refetch(),
      () => {}, // the error is in the state of the call
    )
  }

  return (
    <section aria-labelledby="recording">
      <h2 id="recording">Recording</h2>
      {data !== undefined && (
        <RecordingForm key={JSON.stringify(data)} settings={data} isSaving={isLoading} onSave={save} />
      )}
      {data === undefined && error !== null && <NoSettings status={error.status} />}
      {refusal !== null && (
        <p className="fault" role="alert">
          {refusal.message}
        </p>
      )}
      {saved !== undefined && saved.fault !== null && (
        <p className="notice" role="alert">
          This holds until sdk dev ends: {saved.fault}.
        </p>
      )}
      <ClearRuns />
    </section>
  )
}

function NoSettings({ status }: { status: number | undefined }): ReactNode {
  return (
    <p className="notice">
      {status === 401 || status === 403
        ? 'Open the link that sdk dev printed: without it these settings cannot be read.'
        : 'This server has no recording settings: only sdk dev has them.'}
    </p>
  )
}
