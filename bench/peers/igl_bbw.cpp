// Bounded biharmonic weights as libigl finds them, and the problem that it solved, for bbw_bench:
//   g++ -O3 -DNDEBUG -std=c++17 -I libigl/include -I /usr/include/eigen3 igl_bbw.cpp -o igl_bbw
//   igl_bbw hand.mesh hand.tgf OUT [ROUNDS]      (ROUNDS of its active set: 8 in its tutorial)
// OUT holds, in the machine's own types: uint32 nodes, entries, fixed, handles; the lower triangle
// of the positive Laplacian as uint32 first[nodes + 1], rows[entries], double values[entries];
// double masses[nodes]; uint32 fixed[]; double values of the handles there [fixed][handles]; double
// weights [nodes][handles], not normalised.
#include <igl/bbw.h>
#include <igl/boundary_conditions.h>
#include <igl/cotmatrix.h>
#include <igl/massmatrix.h>
#include <igl/readMESH.h>
#include <igl/readTGF.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

template <typename T>
static void put(FILE *file, T value)
{
    fwrite(&value, sizeof value, 1, file);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        return 2;
    }
    Eigen::MatrixXd V, C, bc, W;
    Eigen::MatrixXi T, F, BE;
    Eigen::VectorXi P, b;
    igl::readMESH(argv[1], V, T, F);
    igl::readTGF(argv[2], C, BE); // every edge a bone, as its tutorial has it
    if (!igl::boundary_conditions(V, T, C, P, BE, Eigen::MatrixXi(), Eigen::MatrixXi(), b, bc)) {
        return 1;
    }
    igl::BBWData data;
    data.active_set_params.max_iter = argc > 4 ? atoi(argv[4]) : 8;
    data.verbosity = 0;
    const clock_t begin = clock();
    if (!igl::bbw(V, T, b, bc, data, W)) {
        return 1;
    }
    fprintf(stderr, "igl::bbw: %ld nodes, %ld handles, %.3f s, weights %g to %g\n", (long)V.rows(),
            (long)W.cols(), (double)(clock() - begin) / CLOCKS_PER_SEC, W.minCoeff(), W.maxCoeff());
    Eigen::SparseMatrix<double> L, M;
    igl::cotmatrix(V, T, L);
    igl::massmatrix(V, T, igl::MASSMATRIX_TYPE_DEFAULT, M);
    const Eigen::SparseMatrix<double> lower =
        Eigen::SparseMatrix<double>(-L).triangularView<Eigen::Lower>();
    FILE *out = fopen(argv[3], "wb");
    put<uint32_t>(out, (uint32_t)V.rows());
    put<uint32_t>(out, (uint32_t)lower.nonZeros());
    put<uint32_t>(out, (uint32_t)b.size());
    put<uint32_t>(out, (uint32_t)W.cols());
    fwrite(lower.outerIndexPtr(), sizeof(uint32_t), (size_t)lower.outerSize() + 1, out);
    fwrite(lower.innerIndexPtr(), sizeof(uint32_t), (size_t)lower.nonZeros(), out);
    fwrite(lower.valuePtr(), sizeof(double), (size_t)lower.nonZeros(), out);
    for (long v = 0; v < V.rows(); ++v) {
        put(out, M.coeff(v, v));
    }
    for (long i = 0; i < b.size(); ++i) {
        put<uint32_t>(out, (uint32_t)b(i));
    }
    for (long i = 0; i < b.size(); ++i) {
        for (long j = 0; j < bc.cols(); ++j) {
            put(out, bc(i, j));
        }
    }
    for (long v = 0; v < W.rows(); ++v) {
        for (long j = 0; j < W.cols(); ++j) {
            put(out, W(v, j));
        }
    }
    return fclose(out) == 0 ? 0 : 1;
}
