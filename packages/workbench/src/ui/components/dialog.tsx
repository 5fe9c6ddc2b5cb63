import { useEffect, useId, useRef, type ReactNode } from 'react'
import X from 'lucide-react/icons/x'

type DialogProps = { title: string; onClose: () => void; children: ReactNode }

/** A modal dialog that is open while it is mounted. Escape, a click outside and the close button close it. */
export function Dialog({ title, onClose, children }: DialogProps): ReactNode {
  const id = useId()
  const ref = useModal()
  return (
    <dialog
      className="dialog"
      ref={ref}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" className="button icon small" aria-label="Close" onClick={onClose}>
            <X size={15} aria-hidden />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

/** Opens a `<dialog>` as a modal when it is mounted. When it closes, the focus returns to the page. */
export function useModal(): React.RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (dialog?.open === false) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return ref
}
