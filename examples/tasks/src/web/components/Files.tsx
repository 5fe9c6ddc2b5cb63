/** Shows uploads: a form with a file, its progress, a list with limits, and downloads through plain links. */
import { useAPI, useSdk } from '@sdk/react'
import { useState, type DragEvent } from 'react'
import { explain } from '../explain.ts'
import { useUploadProgress } from '../upload.ts'
import { Icon } from './Icon.tsx'
import { Notice } from './Notice.tsx'
import { PageTitle } from './PageTitle.tsx'
import { Skeleton } from './Skeleton.tsx'
import './files.css'

const LIST = 'GET /api/files'

export default function Files() {
  const { data, isLoading, error, refetch } = useAPI(LIST)
  return (
    <>
      <PageTitle title="Files" lead="Only you can read your files. They are stored in the database." />
      <Upload maxBytes={data?.maxBytes ?? 0} />
      {isLoading && <Skeleton rows={3} />}
      {error !== null && <Notice actions={{ 'Load again': () => void refetch() }}>{explain(error)}</Notice>}
      {data?.files.length === 0 && (
        <div className="empty card">
          <h2>No files yet</h2>
          <p className="quiet">You can upload up to {data.maxFiles} files.</p>
        </div>
      )}
      {data !== undefined && data.files.length > 0 && (
        <ul className="files card" aria-label="Files">
          {data.files.map((file) => (
            <FileItem key={file.id} {...file} />
          ))}
        </ul>
      )}
    </>
  )
}

function Upload({ maxBytes }: { maxBytes: number }) {
  const progress = useUploadProgress()
  const [isOver, setIsOver] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const { invoke, isLoading } = useAPI('POST /api/files', { invalidates: [LIST] })

  async function send(file: File | undefined): Promise<void> {
    if (file === undefined) return
    setFailure(file.size > maxBytes ? `“${file.name}” has ${sizeOf(file.size)}. At most: ${sizeOf(maxBytes)}.` : null)
    if (file.size > maxBytes) return
    const form = new FormData()
    form.set('file', file)
    await invoke(form).catch((error: unknown) => setFailure(`“${file.name}” was not uploaded. ${explain(error)}`))
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setIsOver(false)
    void send(event.dataTransfer.files[0])
  }

  return (
    <div
      className="drop"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <label>
        <input
          type="file"
          disabled={isLoading || maxBytes === 0}
          onChange={({ target }) => {
            void send(target.files?.[0])
            target.value = '' // allows the same file to be chosen again
          }}
        />
        <span>Choose a file</span>
      </label>
      <p className="quiet">or drop it here. Up to {sizeOf(maxBytes)}.</p>
      {isLoading && <progress aria-label="Upload" max={1} value={progress ?? 0} />}
      {failure !== null && <Notice>{failure}</Notice>}
    </div>
  )
}

function FileItem({ id, name, size }: { id: number; name: string; size: number }) {
  const { client } = useSdk()
  const remove = useAPI('DELETE /api/files/:id', {
    optimistic: (cache) => cache.update(LIST, (old) => ({ ...old, files: old.files.filter((one) => one.id !== id) })),
  })
  return (
    <li>
      <Icon name="files" />
      <span className="name">{name}</span>
      <span className="quiet">{sizeOf(size)}</span>
      <a className="bare" aria-label={`Download ${name}`} href={client.url(`/api/files/${id}/content`)} download>
        <Icon name="download" />
      </a>
      <button
        type="button"
        className="bare"
        aria-label={`Delete ${name}`}
        onClick={() => void remove.invoke({ params: { id } })}
      >
        <Icon name="remove" />
      </button>
      {remove.error !== null && <Notice>The file was not deleted. {explain(remove.error)}</Notice>}
    </li>
  )
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
