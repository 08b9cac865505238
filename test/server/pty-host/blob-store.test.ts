import { describe, expect, it } from 'vitest';
import { BlobStore } from '../../../server/pty-host/blob-store.ts';

function contents(store: BlobStore): Record<string, string> {
  return Object.fromEntries([...store.entries()].map(([key, bytes]) => [key, bytes.toString()]));
}

describe('the blobs of a server', () => {
  it('change together at a commit, in parts if they are long', () => {
    const store = new BlobStore();
    store.stage('a', Buffer.from('one '));
    store.stage('b', Buffer.from('two'));
    store.stage('a', Buffer.from('more'));
    expect(contents(store)).toEqual({});
    store.commit();
    expect(contents(store)).toEqual({ a: 'one more', b: 'two' });
    store.stage('a', Buffer.from('new'));
    store.commit();
    expect(contents(store)).toEqual({ a: 'new', b: 'two' });
  });

  it('stay as they were when the server dies before the commit', () => {
    const store = new BlobStore();
    store.stage('a', Buffer.from('old'));
    store.commit();
    store.stage('a', Buffer.from('half'));
    store.drop('a');
    store.abandon();
    store.commit();
    expect(contents(store)).toEqual({ a: 'old' });
  });

  it('go with those below their key, and come back when they are staged again', () => {
    const store = new BlobStore();
    for (const key of ['pane/1', 'pane/1/screen', 'pane/10/screen']) store.stage(key, Buffer.from(key));
    store.commit();
    store.drop('pane/1');
    store.stage('pane/1/screen', Buffer.from('again'));
    store.commit();
    expect(contents(store)).toEqual({ 'pane/10/screen': 'pane/10/screen', 'pane/1/screen': 'again' });
  });
});
