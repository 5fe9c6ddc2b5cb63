import { useState, type ReactNode } from 'react'
import { Dialog } from './dialog.tsx'

interface ConfirmButtonProps {
  /** The label of the button, both on the page and in the dialog, such as `Clear runs`. */
  readonly label: string
  readonly question: string
  readonly onConfirm: () => void
  readonly isDisabled?: boolean
}

/** A button that asks for confirmation, for an action that cannot be undone. */
export function ConfirmButton({ label, question, onConfirm, isDisabled = false }: ConfirmButtonProps): ReactNode {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button type="button" className="button danger" disabled={isDisabled} onClick={() => setAsking(true)}>
        {label}
      </button>
      {isAsking && (
        <ConfirmDialog label={label} question={question} onConfirm={onConfirm} onClose={() => setAsking(false)} />
      )}
    </>
  )
}

type ConfirmDialogProps = Omit<ConfirmButtonProps, 'isDisabled'> & { readonly onClose: () => void }

/** The confirmation dialog, which can also be used without the button. */
export function ConfirmDialog({ label, question, onConfirm, onClose }: ConfirmDialogProps): ReactNode {
  return (
    <Dialog title={`${label}?`} onClose={onClose}>
      <p>{question}</p>
      <div className="actions end">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button danger primary"
          onClick={() => {
            onClose()
            onConfirm()
          }}
        >
          {label}
        </button>
      </div>
    </Dialog>
  )
}
