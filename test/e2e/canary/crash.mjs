// Preloaded into a server: on a signal, throws an error that contains all secrets.
process.on('SIGUSR2', () => {
  const error = new Error(`crash with ${process.env.CANARIES}`);
  error.detail = process.env.CANARIES;
  throw error;
});
