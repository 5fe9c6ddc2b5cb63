export { createWorker, type Worker, type WorkerOptions } from './workers/create-worker.ts'
